public import StrictJSON

/// All versions of a format and the steps between them.
///
/// ```swift
/// let chain = try MigrationChain(format: "bztimer", steps: [oneToTwo, twoToThree])
/// let old = try chain.migrate(document, from: 3, to: 1)
/// for loss in old.losses { print(loss) }
/// ```
public struct MigrationChain: Sendable {
    /// The format's name.
    public let format: String
    /// The oldest version that can be read.
    public let oldest: Int
    /// The current version.
    public let current: Int
    /// The steps, the oldest first.
    public let steps: [MigrationStep]

    /// Makes a chain of steps, which may be given in any order.
    ///
    /// - Throws: `migration.chain` where there is no step, a step is of another format, does not lead from a positive
    ///   version one version up, is there twice, or is missing between two others.
    public init(format: String, steps: [MigrationStep]) throws(AppFormatError) {
        let steps = steps.sorted { $0.from < $1.from }
        guard let first = steps.first, let last = steps.last else {
            throw AppFormatError(.migrationChain, "\(format) has no migration step")
        }
        for step in steps {
            let name = "the step \(step.from) to \(step.to) of \(step.format)"
            guard step.format == format else {
                throw AppFormatError(.migrationChain, "\(name) is in the chain of \(format)")
            }
            guard step.from > 0, step.from.addingReportingOverflow(1) == (step.to, false) else {
                throw AppFormatError(.migrationChain, "\(name) does not lead from a positive version one version up")
            }
        }
        for (step, next) in zip(steps, steps.dropFirst()) where step.to != next.from {
            let fault = step.from == next.from ? "twice the step from \(step.from)" : "no step from \(step.to)"
            throw AppFormatError(.migrationChain, "\(format) has \(fault)")
        }
        self.format = format
        self.steps = steps
        oldest = first.from
        current = last.to
    }

    /// Migrates a document to another version, older or newer, through every version between.
    ///
    /// - Throws: `version.newer` or `version.invalid` where a version is not in the chain, and what a step throws.
    public func migrate(_ value: JSONValue, from: Int, to: Int) throws(AppFormatError) -> Migrated {
        try check(from)
        try check(to)
        var migrated = Migrated(value)
        if from <= to {
            for step in steps[(from - oldest)..<(to - oldest)] { migrated.value = try step.up(migrated.value).value }
            return migrated
        }
        var passed: [MigrationStep] = []
        for step in steps[(to - oldest)..<(from - oldest)].reversed() {
            let result = try step.down(migrated.value)
            migrated.value = result.value
            let toSentence = { [passed] (loss: MigrationLoss) in
                let pointer = passed.reversed().reduce(loss.pointer) { $1.newerPointer($0) }
                return MigrationLoss("version \(to) \(loss.text)", at: pointer)
            }
            migrated.losses += result.losses.map(toSentence)
            migrated.notes += result.notes.map(toSentence)
            passed.append(step)
        }
        return migrated
    }

    /// Migrates a document of the current version down to an older one and up again, without preserved values.
    ///
    /// Members that the older version lacks get the values that the steps up set.
    ///
    /// - Parameter names: Further members that the older document does not have.
    /// - Throws: As ``migrate(_:from:to:)``.
    public func reduce(
        _ value: JSONValue,
        to version: Int,
        without names: Set<String> = []
    ) throws(AppFormatError) -> JSONValue {
        let older = try migrate(value, from: current, to: version).value
        return try migrate(older.removing(names.union([Preserved.memberName])), from: version, to: current).value
    }

    /// Returns the place, in a document of an older version, of what the current version has at a pointer.
    ///
    /// What the older version has nowhere is given the place nearest to it.
    public func pointer(_ pointer: JSONPointer, ofCurrentIn from: Int) -> JSONPointer {
        steps.reversed().prefix { $0.from >= from }.reduce(pointer) { $1.olderPointer($0) }
    }

    /// Checks a version that a document claims or that a person asks for.
    ///
    /// - Throws: `version.newer` naming both numbers, or `version.invalid`.
    public func check(_ version: Int) throws(AppFormatError) {
        guard version <= current else {
            throw AppFormatError(
                .versionNewer,
                "version \(version) of \(format) is newer than \(current), the newest that this program knows; "
                    + "update the program"
            )
        }
        guard version >= oldest else {
            throw AppFormatError(
                .versionInvalid,
                "\(format) has no version \(version); there are versions \(oldest) to \(current)"
            )
        }
    }
}

extension JSONValue {
    /// Returns the value without members of some names, at any depth.
    fileprivate func removing(_ names: Set<String>) -> JSONValue {
        if let array { return .array(array.map { $0.removing(names) }) }
        guard let object else { return self }
        var rest = JSONObject()
        for member in object where !names.contains(member.name) {
            rest[member.name] = member.value.removing(names)
        }
        return .object(rest)
    }
}
