internal import AppFormats
internal import CommandSupport
internal import StrictJSON

/// What a command found in one of the files that it was given.
struct FileReport {
    let file: String
    /// How far the file can be used: `success`, `findings`, `badData`, or `noInput` and others where it was not read.
    var status: ExitStatus
    var diagnostics: [Diagnostic] = []
    /// The number of all findings, those that were not kept included.
    var total = 0

    /// A file that could not be read at all.
    init(file: String, failure: CommandFailure) {
        self.file = file
        status = failure.status
        let message = failure.message ?? "the file cannot be read"
        diagnostics = failure.diagnostics + [Diagnostic(code: "file.unreadable", message: message, file: file)]
        total = diagnostics.count
    }

    /// A file with findings.
    init(file: String, diagnostics: [Diagnostic], total: Int) {
        self.file = file
        self.diagnostics = diagnostics
        self.total = total
        let severities = Set(diagnostics.map(\.severity))
        status = severities.contains(.error) ? .badData : severities.contains(.warning) ? .findings : .success
    }

    /// A `.bztimer` file.
    init(_ reading: BztimerReading, file: String) {
        self.init(file: file, diagnostics: reading.diagnostics, total: reading.findingCount)
        if !reading.isValid { status = .badData }
    }

    /// Whether the file can be used.
    var isUsable: Bool { status == .success || status == .findings }

    /// The findings as lines for the standard error stream.
    var text: String { DiagnosticRenderer().render(diagnostics, total: total) }

    /// The members of every file's report in JSON.
    var json: JSONObject {
        [
            "file": .string(file),
            "valid": .bool(isUsable),
            "findings": .number(JSONNumber(total)),
            "diagnostics": DiagnosticRenderer().json(diagnostics),
        ]
    }
}

extension Sequence<FileReport> {
    /// How the command ends: the gravest of the files' states.
    var worst: ExitStatus {
        let gravity: [ExitStatus] = [.success, .findings, .badData, .noInput, .inputOutput]
        func rank(_ status: ExitStatus) -> Int { gravity.firstIndex(of: status) ?? gravity.count }
        return map(\.status).max { rank($0) < rank($1) } ?? .success
    }
}

/// Reads `.bztimer` files.
enum BztimerInput {
    /// The largest `.bztimer` file that is read: 256 MiB.
    static let largest = 1 << 28

    /// Reads a file; `-` is the standard input.
    static func read(_ path: String, strict: Bool = false) -> (report: FileReport, reading: BztimerReading?) {
        do throws(CommandFailure) {
            let input = try InputFile(reading: path, limit: largest)
            let reading = BztimerReader.read(input.bytes, name: input.name, strict: strict)
            return (FileReport(reading, file: input.name), reading)
        } catch {
            return (FileReport(file: path, failure: error), nil)
        }
    }

    /// Reads a file that the command cannot do without; warnings go to the standard error stream.
    static func require(_ path: String) throws(CommandFailure) -> (reading: BztimerReading, file: BztimerFile) {
        let (report, reading) = read(path)
        guard let reading, let file = reading.file else {
            StandardError.write(report.text)
            throw CommandFailure(report.status, diagnostics: [])
        }
        StandardError.write(report.text)
        return (reading, file)
    }
}
