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
        let file = file == "-" ? "<stdin>" : file
        self.file = file
        status = failure.status
        let message = failure.message ?? "the file cannot be read"
        diagnostics = failure.diagnostics + [Diagnostic(code: "file.unreadable", message: message, file: file)]
        total = diagnostics.count
    }

    /// A schema that cannot be used, or could not be read.
    init(failingSchema file: String, _ failure: CommandFailure) {
        guard let finding = failure.diagnostics.first else {
            self.init(file: file, failure: failure)
            return
        }
        self.init(file: finding.file ?? file, diagnostics: failure.diagnostics, total: failure.diagnostics.count)
        status = failure.status
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

extension FormatOption {
    /// Prints the reports of files of which one cannot be used, for programs; people have read the findings.
    func printFailure(_ reports: [JSONValue]) throws(CommandFailure) {
        try print("", ["files": .array(reports)])
    }
}

/// Checks the paths of files to read.
enum InputPaths {
    /// - Throws: 64 where the standard input is named more than once.
    static func check(_ paths: [String]) throws(CommandFailure) {
        guard paths.count(where: { $0 == "-" }) > 1 else { return }
        throw CommandFailure(.usage, "- is named more than once, and the standard input can be read but once")
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

    /// Reads a file that the command cannot do without; findings go to the standard error stream.
    ///
    /// - Parameters:
    ///   - path: The file; `-` is the standard input.
    ///   - output: Where a file that cannot be used is reported as well, for `--format json`.
    static func require(_ path: String, _ output: FormatOption? = nil) throws(CommandFailure) -> Required {
        let (report, reading) = read(path)
        StandardError.write(report.text)
        guard let reading, let file = reading.file else {
            try output?.printFailure([Bzpack.Validate.json(report, reading)])
            throw CommandFailure(report.status, diagnostics: [])
        }
        return Required(reading: reading, file: file, status: report.status)
    }

    /// A file that can be used.
    struct Required {
        let reading: BztimerReading
        let file: BztimerFile
        /// `success`, or `findings` where there are warnings.
        let status: ExitStatus
    }
}
