internal import ArchiveIO
internal import CommandSupport
internal import FileSystem
internal import FormatKit
internal import Slate
internal import StrictJSON

/// An export that was read: JSON, a backup, or JSON in any other archive or compressed file.
struct SlateInput {
    let reading: ParseResult<SlateContent>
    /// The place where the JSON was found.
    let origin: JSONContainer.Origin
    /// The size in bytes of what was read.
    let size: Int
    /// The file, where it is not valid.
    private let refused: InputFile?

    /// The container of the JSON, in words; nil where there is none.
    var container: String? {
        switch origin {
        case .plain: nil
        case .entry(_, let container): container.description
        case .backup(_, _, let container): "slatebackup, \(container)"
        }
    }

    /// The manifest, where it is a backup that has one.
    var manifest: BackupManifest? {
        if case .backup(let manifest, _, _) = origin { manifest } else { nil }
    }

    /// Reads a file; `-` is the standard input.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - strict: Whether unknown members are reported.
    ///   - repair: Whether faults that the checks find beyond the schema are repaired.
    ///   - asks: Whether the person may be asked for a passphrase.
    ///   - keepsDocument: Whether the document is wanted and not its content alone.
    static func read(
        _ path: String,
        strict: Bool = false,
        repair: Bool = false,
        asks: Bool = true,
        keepsDocument: Bool = false
    ) -> (report: FileReport, input: SlateInput?) {
        var byRows = !keepsDocument && !strict
        if byRows, let (file, size) = InputSource.text(path) {
            if let reading = SlateFormat.readRows(file.source, name: path, repair: repair) {
                let input = SlateInput(reading: reading, origin: .plain, size: size, refused: nil)
                return (input.report(file: path), input)
            }
            byRows = false
        }
        do throws(CommandFailure) {
            let file = try InputFile(reading: path, asks: asks)
            return read(file, strict: strict, repair: repair, keepsDocument: keepsDocument, byRows: byRows)
        } catch {
            return (FileReport(file: path, failure: error), nil)
        }
    }

    /// Takes a file that was read whole.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - strict: Whether unknown members are reported.
    ///   - repair: Whether faults that the checks find beyond the schema are repaired.
    ///   - keepsDocument: Whether the document is wanted and not its content alone.
    ///   - byRows: Whether reading it row by row may be tried.
    static func read(
        _ file: InputFile,
        strict: Bool = false,
        repair: Bool = false,
        keepsDocument: Bool = false,
        byRows: Bool = true
    ) -> (report: FileReport, input: SlateInput?) {
        let name = file.name
        do {
            guard !RecordSource.isDatabase(bytes: file.bytes) else {
                let message = Messages.isDatabase(name == "<stdin>" ? "FILE" : ShellText.quoted(name))
                let fault = Diagnostic(code: "format.other", message: message, file: name)
                return (FileReport(file: name, diagnostics: [fault], total: 1), nil)
            }
            let found = try JSONContainer(.bytes(file.bytes, name: name))
            let text = found.origin.entryName.map { "\(name)/\($0)" } ?? name
            let rows =
                keepsDocument || strict || !byRows
                ? nil : SlateFormat.readRows(JSONByteSource(found.bytes), name: text, repair: repair)
            var reading = rows ?? SlateFormat.read(found.bytes, name: text, strict: strict, repair: repair)
            if !keepsDocument { reading.document = nil }
            let input = SlateInput(
                reading: reading,
                origin: found.origin,
                size: file.bytes.count,
                refused: reading.isValid ? nil : file
            )
            return (input.report(file: name), input)
        } catch let error as CommandFailure {
            return (FileReport(file: name, failure: error), nil)
        } catch let error as ArchiveError {
            let findings = error.diagnostics(file: name)
            return (FileReport(file: name, diagnostics: findings, total: findings.count), nil)
        } catch {
            return (FileReport(file: name, failure: CommandFailure(.inputOutput, "cannot read \(name): \(error)")), nil)
        }
    }

    /// True where a file that is not valid is one after `--repair`, by the bytes that were read: a pipe has them once.
    var isMendable: Bool { refused.map { Self.read($0, repair: true).report.isUsable } ?? false }

    /// Reads a file that the command cannot do without; findings go to the standard error stream.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - output: Where a file that cannot be used is reported as well, for `--format json`.
    ///   - keepsDocument: Whether the document is wanted and not its content alone.
    static func require(
        _ path: String,
        _ output: FormatOption,
        keepsDocument: Bool = false
    ) throws(CommandFailure) -> Required {
        try require(read(path, keepsDocument: keepsDocument), output)
    }

    /// Takes a file that was read, which the command cannot do without.
    ///
    /// - Parameter message: What did not happen, where the file cannot be used.
    static func require(
        _ found: (report: FileReport, input: SlateInput?),
        _ output: FormatOption,
        otherwise message: String? = nil
    ) throws(CommandFailure) -> Required {
        let (report, input) = found
        StandardError.write(report.text)
        guard report.isUsable, let input, let content = input.reading.content else {
            output.noteFailure([report.json(version: input?.reading.version)])
            // One line says all of a key that is missing or wrong.
            guard let message, report.status != .noKey else { throw CommandFailure(report.status, diagnostics: []) }
            throw CommandFailure(report.status, message)
        }
        return Required(file: report.file, input: input, content: content, report: report)
    }

    /// A file that can be used.
    struct Required {
        /// The file as the person named it.
        let file: String
        let input: SlateInput
        let content: SlateContent
        /// Its state is `success`, or `findings` where there are warnings.
        let report: FileReport

        /// The title of the file, with version and time of export.
        var title: String {
            "\(file) (version \(input.reading.version ?? 0), exported at \(content.exportedAt))"
        }
    }

    private func report(file: String) -> FileReport {
        let faults = countFaults + unchecked
        var report = FileReport(
            file: file,
            diagnostics: reading.diagnostics + faults,
            total: reading.findingCount + faults.count
        )
        if !reading.isValid { report.status = .badData }
        return report
    }

    /// The errors in the manifest's numbers of rows; a file that was repaired may have fewer.
    private var countFaults: [Diagnostic] {
        guard case .backup(let manifest, let path, _) = origin, let content = reading.content,
            reading.repairCount == 0, let counts = manifest.file(path)?.counts
        else { return [] }
        return counts.compactMap { count in
            var message = "the manifest counts \(Words.count(count.records, "row")) in \(count.table), "
            if let table = SlateTable(rawValue: count.table) {
                guard content.count(table) != count.records else { return nil }
                message += "the file has \(content.count(table))"
            } else {
                message += "a table that Slate's format does not have"
            }
            return Diagnostic(code: "slate.manifest-count", message: message, file: reading.name)
        }
    }

    /// The note on an archive without a manifest: damage that leaves valid JSON would not be seen.
    private var unchecked: [Diagnostic] {
        guard case .entry(let name, _) = origin, !name.isEmpty else { return [] }
        let message = Messages.noManifest
        return [Diagnostic(.note, code: "slate.no-manifest", message: message, file: reading.name)]
    }
}

extension JSONContainer.Origin {
    /// The name of the entry that holds the JSON, nil where it has none.
    fileprivate var entryName: String? {
        switch self {
        case .plain: nil
        case .entry(let name, _): name.isEmpty ? nil : name
        case .backup(_, let path, _): path
        }
    }
}
