internal import AppFormats
internal import CommandSupport
internal import StrictJSON

extension FileReport {
    /// A `.bztimer` file.
    init(_ reading: BztimerReading, file: String) {
        self.init(file: file, diagnostics: reading.diagnostics, total: reading.findingCount)
        if !reading.isValid { status = .badData }
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
            try output?.printFailure([report.json(version: reading?.version)])
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
