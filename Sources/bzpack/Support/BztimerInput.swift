internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension FileReport {
    /// Makes the report on an archive or a storage that cannot be used.
    init(file: String, fault: any Error) {
        let file = file == "-" ? "<stdin>" : file
        guard let failure = CommandFailure(library: fault) else {
            self.init(file: file, failure: CommandFailure(.inputOutput, "cannot read \(file): \(fault)"))
            return
        }
        let diagnostics = failure.diagnostics.map { finding in
            var finding = finding
            finding.file = finding.file ?? file
            return finding
        }
        self.init(file: file, diagnostics: diagnostics, total: diagnostics.count)
        status = failure.status
    }
}

/// Reads `.bztimer` files, alone and in a `.bzpack`.
enum BztimerInput {
    /// The largest `.bztimer` file that is read: 256 MiB.
    static let largest = 1 << 28

    /// Reads a file; `-` is the standard input.
    static func read(_ path: String, strict: Bool = false) -> (report: FileReport, reading: ParseResult<BztimerFile>?) {
        do throws(CommandFailure) {
            let input = try InputFile(reading: path, limit: largest)
            let reading = BztimerFormat.read(input.bytes, name: input.name, strict: strict)
            return (FileReport(reading, file: input.name), reading)
        } catch {
            return (FileReport(file: path, failure: error), nil)
        }
    }

    /// The files at a path, with their reports.
    struct Found {
        /// The pack, where it is one that can be used.
        var pack: PackInput?
        /// The file, or those of the pack in their order; where it cannot be opened or has none, a report alone.
        var files: [(report: FileReport, reading: ParseResult<BztimerFile>?)]
    }

    /// Reads a file, or all files of a `.bzpack`; `-` is the standard input.
    static func find(_ path: String, strict: Bool = false) -> Found {
        do throws(CommandFailure) {
            return find(try InputFile(reading: path, limit: largest), strict: strict)
        } catch {
            return Found(files: [(FileReport(file: path, failure: error), nil)])
        }
    }

    /// Returns the files in an input file that has been read.
    static func find(_ input: InputFile, strict: Bool = false) -> Found {
        guard PackInput.isPack(input.bytes) else {
            let reading = BztimerFormat.read(input.bytes, name: input.name, strict: strict)
            return Found(files: [(FileReport(reading, file: input.name), reading)])
        }
        do {
            let pack = try PackInput(input)
            return Found(pack: pack, files: try pack.read(strict: strict))
        } catch {
            return Found(files: [(FileReport(file: input.name, fault: error), nil)])
        }
    }
}
