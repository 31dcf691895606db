internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import Interchange
internal import RecordStore
internal import StrictJSON

/// A file of timers, told by its content: of presets, of sessions, a workout of Zwift, or a backup.
enum TimerInput {
    case presets(report: FileReport, reading: ParseResult<PresetFile>)
    case sessions(BztimerInput.Found)
    case workout(report: FileReport, session: SessionTemplate?)
    case backup(report: FileReport, backup: TimerBackup?)

    /// Reads a file of sessions or presets, or all files of a `.bzpack`; `-` is the standard input.
    static func find(_ path: String, strict: Bool = false, repair: Bool = false) -> TimerInput {
        do throws(CommandFailure) {
            let input = try InputFile(reading: path, limit: BztimerInput.largest)
            if let other = other(input, strict: strict, repair: repair) { return other }
            let found = BztimerInput.find(input, strict: strict)
            guard found.files.first?.reading?.identity == .named(TimerBackup.format) else { return .sessions(found) }
            return backup(input)
        } catch {
            return .sessions(BztimerInput.Found(files: [(FileReport(file: path, failure: error), nil)]))
        }
    }

    /// Returns the input of a backup, checked as restore does.
    private static func backup(_ input: InputFile) -> TimerInput {
        var findings: [Diagnostic] = []
        var backup: TimerBackup?
        do {
            backup = try TimerBackup(parsing: input.bytes, file: input.name)
        } catch let error as UnusableDocument {
            findings = error.findings
        } catch {
            return .backup(report: FileReport(file: input.name, fault: error), backup: nil)
        }
        let report = FileReport(file: input.name, diagnostics: findings, total: findings.count)
        return .backup(report: report, backup: backup)
    }

    /// Returns the input of a file without sessions of BZ Timer; nil where it is to be read as one with sessions.
    private static func other(_ input: InputFile, strict: Bool = false, repair: Bool = false) -> TimerInput? {
        let (bytes, name) = (input.bytes, input.name)
        guard !PackInput.isPack(bytes) else { return nil }
        switch ForeignFile.read(bytes, name: name, strict: strict, repair: repair) {
        case .presets(let reading):
            return .presets(report: FileReport(reading, file: name), reading: reading)
        case .workout(let reading):
            let (findings, count) = (reading.diagnostics, reading.findingCount)
            let report = FileReport(file: name, diagnostics: findings, total: count)
            return .workout(report: report, session: reading.session)
        case .unusable(let fault):
            return .workout(report: FileReport(file: name, diagnostics: [fault], total: 1), session: nil)
        case nil:
            let reading = PresetFormat.read(bytes, name: name, strict: strict, repair: repair)
            guard reading.identity == .gympulse else { return nil }
            return .presets(report: FileReport(reading, file: name), reading: reading)
        }
    }

    /// The reports of all files, each with the version of its own format where that can be told.
    var parts: [(report: FileReport, version: Int?)] {
        switch self {
        case .presets(let report, let reading): [(report, reading.version)]
        case .sessions(let found): found.files.map { ($0.report, $0.reading?.version) }
        case .workout(let report, _): [(report, nil)]
        case .backup(let report, let backup): [(report, backup.map { _ in TimerBackup.version })]
        }
    }
}

extension TimerInput {
    /// A single file that can be used.
    struct Required {
        enum Content {
            case presets(ParseResult<PresetFile>, PresetFile)
            case sessions(ParseResult<BztimerFile>, BztimerFile)
            case workout(SessionTemplate)
        }

        let content: Content
        /// The file as the person named it.
        let name: String
        /// `success`, or `findings` where there are warnings.
        let status: ExitStatus

        /// Returns the position in the text of the value at a pointer.
        func position(of pointer: JSONPointer) -> TextPosition? {
            switch content {
            case .presets(let reading, _): reading.position(of: pointer)
            case .sessions(let reading, _): reading.position(of: pointer)
            case .workout: nil
            }
        }
    }

    /// Reads a file that the command cannot do without; findings go to the standard error stream.
    ///
    /// - Throws: 65 or 66 where it cannot be used.
    static func require(_ path: String) throws(CommandFailure) -> Required {
        let input: InputFile
        do throws(CommandFailure) {
            input = try InputFile(reading: path, limit: BztimerInput.largest)
        } catch {
            let report = FileReport(file: path, failure: error)
            StandardError.write(report.text)
            throw CommandFailure(report.status, diagnostics: [])
        }
        return try require(input)
    }

    /// Takes a file that was read, which the command cannot do without.
    ///
    /// - Throws: 65 where it cannot be used.
    static func require(_ input: InputFile) throws(CommandFailure) -> Required {
        let report: FileReport
        let content: Required.Content?
        switch other(input) {
        case .presets(let found, let reading):
            report = found
            content = reading.content.map { .presets(reading, $0) }
        case .workout(let found, let session):
            report = found
            content = session.map { .workout($0) }
        case .sessions, .backup, nil:
            let reading = BztimerFormat.read(input.bytes, name: input.name)
            report = FileReport(reading, file: input.name)
            content = reading.content.map { .sessions(reading, $0) }
        }
        StandardError.write(report.text)
        guard let content else { throw CommandFailure(report.status, diagnostics: []) }
        return Required(content: content, name: report.file, status: report.status)
    }
}
