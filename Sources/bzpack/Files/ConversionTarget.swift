internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import Interchange
internal import StrictJSON

/// The formats that a file can be converted to.
enum ConversionTarget: String, ExpressibleByArgument, CaseIterable {
    case presets, sessions, zwo

    /// Tells whether there is a valid file of that kind at a path, which a new one may replace without a question.
    func isAlready(_ output: OutputFile) -> Bool {
        switch self {
        case .presets: PresetInput.isPresets(output)
        case .sessions: Losses.isBztimer(output)
        case .zwo:
            if let input = try? InputFile(reading: output.path, limit: BztimerInput.largest),
                case .workout(let reading) = ForeignFile.read(input.bytes)
            {
                reading.session != nil
            } else {
                false
            }
        }
    }
}

extension ConversionSource {
    /// Returns the only session, as a workout holds one.
    func single(
        _ chosen: [(index: Int, record: SessionTemplate)]
    ) throws(CommandFailure) -> (index: Int, record: SessionTemplate) {
        guard chosen.count == 1, let only = chosen.first else {
            throw CommandFailure(.usage, Messages.oneSession(chosen.count))
        }
        return only
    }

    /// Returns the losses of the file's members beside its sessions.
    func members(of file: BztimerFile) -> [MigrationLoss] {
        members(of: file.extra)
            + (file.activities ?? []).enumerated().map { index, activity in
                MigrationLoss(
                    "the activity \"\(activity.label)\" is left out",
                    at: JSONPointer(tokens: ["activities", String(index)])
                )
            }
    }

    func chosen<Record: Hashable>(
        _ records: [Record],
        _ names: [String],
        _ select: Selection<Record>
    ) throws(CommandFailure) -> [(index: Int, record: Record)] {
        var select = select
        select.place = "the file"
        var wanted: Set<Record> = []
        for name in names { wanted.insert(try select(name)) }
        return records.enumerated().filter { names.isEmpty || wanted.contains($0.element) }
            .map { (index: $0.offset, record: $0.element) }
    }

    /// Runs the conversion of a session; what it throws gets its place in the file.
    func placing<Result>(
        _ index: Int,
        _ reading: ParseResult<BztimerFile>,
        _ convert: () throws -> Conversion<Result>
    ) throws -> Conversion<Result> {
        do {
            return try convert()
        } catch let error as AppFormatError {
            let place = JSONPointer(tokens: ["sessions", String(index)] + (error.pointer?.tokens ?? []))
            let pointer = reading.origin(place)
            let fault = AppFormatError(error.code, error.message, at: pointer)
            let position = reading.position(of: pointer)
            throw CommandFailure(.badData, diagnostics: [fault.diagnostic(file: file.name, position: position)])
        }
    }

    /// Returns the bytes of a file of sessions, validated against its schema before anything is written.
    static func bytes(_ file: BztimerFile) throws -> [UInt8] {
        let bytes = try file.encoded().bytes
        let reading = BztimerFormat.read(bytes)
        guard reading.isValid else { throw unreadable(reading.diagnostics) }
        return bytes
    }

    /// Returns a workout, read again before anything is written.
    static func workout(_ session: SessionTemplate) throws -> Conversion<[UInt8]> {
        let conversion = try ZwiftWriter.encode(session)
        switch ForeignFile.read(conversion.result) {
        case .workout(let reading) where reading.session != nil: return conversion
        case .workout(let reading): throw unreadable(reading.diagnostics)
        case .unusable(let fault): throw unreadable([fault])
        case .presets, nil: throw unreadable([])
        }
    }

    private static func unreadable(_ findings: [Diagnostic]) -> CommandFailure {
        let message = "what was converted cannot be read again; nothing was written"
        return CommandFailure(.internalError, message, diagnostics: findings.filter { $0.severity == .error })
    }

    func members(of extra: JSONObject) -> [MigrationLoss] {
        extra.map { member in
            MigrationLoss("the member \"\(member.name)\" is left out", at: JSONPointer(tokens: [member.name]))
        }
    }

    /// Losses of a record as those of the file.
    func placed(_ losses: [MigrationLoss], _ owner: String, _ list: String, _ index: Int) -> [MigrationLoss] {
        losses.map { loss in
            MigrationLoss(
                "\(owner): \(loss.text)",
                at: JSONPointer(tokens: [list, String(index)] + loss.pointer.tokens)
            )
        }
    }

    func origin(_ loss: MigrationLoss, _ origin: (JSONPointer) -> JSONPointer) -> MigrationLoss {
        MigrationLoss(loss.text, at: origin(loss.pointer))
    }
}
