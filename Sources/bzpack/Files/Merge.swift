internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import RecordMerge
internal import StrictJSON

extension Bzpack {
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge",
            abstract: "Merge two .bztimer files, or two files of presets, that come from one.",
            discussion: """
                Changes of different members come together, blocks and tags one by one. Where both files changed the same, \
                the first one's is kept, the conflict is reported, and the exit code is 3. The result is in the \
                current version. What the version of a file cannot hold counts as unchanged.

                As a merge driver of git: git config merge.bzpack.driver 'bzpack merge %O %A %B -o %A', and in .gitattributes \
                *.bztimer merge=bzpack
                """
        )

        @OptionGroup var format: FormatOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var files: MergeFiles

        func run() throws {
            let parts = try files.parts(limit: BztimerInput.largest)
            try files.check(format)
            let ours = try Timers(TimerInput.require(parts.ours))
            let theirs = try Timers(TimerInput.require(parts.theirs))
            let base = try parts.base.map { try Timers(TimerInput.require($0)) }
            for other in [theirs, base].compactMap(\.self) where other.isPresets != ours.isPresets {
                throw CommandFailure(
                    .badData,
                    "one of the files holds sessions, another presets: they cannot be merged"
                )
            }
            let schema = try MergeSchema(reading: try ours.schema())
            let merge = try DocumentMerge(
                base: base?.input.value,
                ours: ours.input.completed(by: (base ?? theirs).input, schema),
                theirs: theirs.input.completed(by: (base ?? ours).input, schema),
                schema
            )
            let bytes = ours.written(merge.document).encoded(.indented)
            try ours.check(bytes)
            let target = OutputFile(files.output)
            try confirmation.requireReplacing(
                target,
                unless: { Losses.isBztimer(target) || PresetInput.isPresets(target) }
            )
            try target.write(bytes)
            try MergeReport(merge, output: files.output, wording: TimerWording(merge.document).wording).finish(format)
        }
    }

    /// A file of timers in the current version of its format.
    private struct Timers {
        let input: MergeInput
        let isPresets: Bool

        init(_ input: TimerInput.Required) throws {
            switch input.content {
            case .sessions(let reading, _):
                let value = try reading.migrated(to: BztimerFormat.currentVersion).value
                self.input = MergeInput(value, version: reading.documentVersion)
                isPresets = false
            case .presets(let reading, _):
                let value = try reading.migrated(to: PresetFormat.currentVersion).value
                self.input = MergeInput(value, version: reading.documentVersion)
                isPresets = true
            case .workout:
                throw CommandFailure(
                    .badData,
                    "\(input.name) is a workout of Zwift: convert it first, with bzpack convert"
                )
            }
        }

        /// Returns the merged document as it is written: the list of custom categories has all that are used.
        func written(_ merged: JSONValue) -> JSONValue {
            guard !isPresets, let file = try? BztimerFile(json: merged) else { return merged }
            var document = merged
            let missing = Categories.custom(in: file.sessions, file.activities ?? []).filter { name in
                !file.categories.contains { Categories.areSame($0, name) }
            }
            if !missing.isEmpty { document["categories"] = .array((file.categories + missing).map(JSONValue.string)) }
            return document
        }

        /// Returns the schema of the current version.
        func schema() throws -> JSONValue {
            let versions = isPresets ? PresetFormat.versions : BztimerFormat.versions
            return try JSONDocument(parsing: versions.currentSchema).root.value
        }

        /// Checks that what was merged is a valid file.
        func check(_ bytes: [UInt8]) throws(CommandFailure) {
            let findings =
                isPresets
                ? PresetFormat.read(bytes, name: "the merged file").diagnostics
                : BztimerFormat.read(bytes, name: "the merged file").diagnostics
            let errors = findings.filter { $0.severity == .error }
            if !errors.isEmpty { throw CommandFailure(.badData, Messages.notMergeable, diagnostics: errors) }
        }
    }
}

/// The words for places and values of a merged file: `session "Legs", block 2 "Squats", length`.
private struct TimerWording {
    private static let nouns = ["sessions": "session", "activities": "activity", "presets": "preset"]
    /// The words for members, also for those that merge as one.
    private static let members = ["mode": "length", "type": "kind", "scheduledDaysOfWeek": "days"]

    private let document: JSONValue

    init(_ document: JSONValue) { self.document = document }

    var wording: MergeReport.Wording { MergeReport.Wording(place: place, value: Self.value) }

    private func place(_ key: RecordKey, _ path: [String]) -> String? {
        guard let noun = Self.nouns[key.collection],
            let record = Self.element(key.key, document[key.collection])?.value
        else { return nil }
        var parts = ["\(noun) \(Self.name(record) ?? key.key)"]
        var rest = path[...]
        if rest.count > 1, rest.first == "items" {
            let id = rest[1]
            let block = Self.element(id, record["items"])
            parts.append(block.map { "block \($0.number) \(Self.name($0.value) ?? id)" } ?? "block \(id)")
            rest = rest.dropFirst(2)
        }
        if rest.first == "items" {
            rest = []
            parts.append("blocks")
        }
        let others = rest.map { Self.members[$0] ?? MergeReport.readable($0) }
        if !others.isEmpty { parts.append(others.joined(separator: " ")) }
        return parts.joined(separator: ", ")
    }

    /// Returns the record of an identifier, and its number from 1 on.
    private static func element(_ id: String, _ list: JSONValue?) -> (number: Int, value: JSONValue)? {
        guard let elements = list?.array, let index = elements.firstIndex(where: { $0["id"]?.string == id }) else {
            return nil
        }
        return (index + 1, elements[index])
    }

    private static func name(_ record: JSONValue) -> String? {
        (record["name"] ?? record["label"])?.string.map { "\"\(TerminalText.cut($0, to: Words.nameColumns))\"" }
    }

    /// Returns the words for members that merge as one: a length, or a kind with its category.
    private static func value(_ value: JSONValue) -> String? {
        if let seconds = value["durationSeconds"]?.int { return Words.timing(.duration(seconds: seconds)) }
        if let count = value["reps"]?.int, let each = value["perRepSeconds"]?.int {
            return Words.timing(.reps(count: count, secondsEach: each))
        }
        guard let kind = value["type"]?.string else { return nil }
        return value["category"]?.string.map { "\(kind), category \"\($0)\"" } ?? kind
    }
}
