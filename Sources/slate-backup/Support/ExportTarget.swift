internal import ArchiveIO
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

/// The targets of an export.
enum ExportTarget {
    case standardOutput
    case file(OutputFile)
    /// A folder, in which it is named after its date.
    case folder(String)

    init(_ path: String) throws(CommandFailure) {
        guard path != "-" else {
            self = .standardOutput
            return
        }
        if path.hasSuffix("/") || FolderListing.isFolder(path) {
            self = .folder(path)
        } else {
            self = .file(OutputFile(path))
            try OutputFile(path).checkName()
        }
    }

    /// True if the name of the target is that of a backup in an archive.
    var isNamedArchive: Bool {
        guard case .file(let output) = self else { return false }
        return output.path.lowercased().trimmingEncryption.hasSuffix(".slatebackup")
    }

    /// Tells whether a backup is compressed by default; an older version is for apps that read JSON alone.
    func isCompressed(version: Int) -> Bool {
        if case .folder = self { version == SlateFormat.currentVersion } else { isNamedArchive }
    }

    /// The folder in which the new file is made.
    var folder: String {
        switch self {
        case .standardOutput: TemporaryFolder.root
        case .file(let output): output.folder
        case .folder(let path): path
        }
    }

    /// The name in messages.
    var name: String {
        switch self {
        case .standardOutput: "the export"
        case .file(let output): output.path
        case .folder(let path): "a file in \(path)"
        }
    }

    /// The file of a complete export, with warnings about it.
    struct Place {
        var output: OutputFile
        var replaces: Bool
        var warnings: [Diagnostic] = []
    }

    /// Returns the place for an export: an earlier backup gives way to it unless that holds far more or is of
    /// another database.
    ///
    /// - Throws: 73 where there is no name left.
    func place(for export: CheckedExport, of store: String, kind: SlateFileName.Kind) throws -> Place {
        var warnings: [Diagnostic] = []
        for number in 1...Self.mostNumbers {
            let output = try output(number, export, kind)
            let counts = output.exists ? BackupOutline.counts(of: output.path) : nil
            if let counts, let kept = keeping(output, counts, export, of: store) {
                warnings.append(kept)
            } else if counts != nil || !output.isTaken {
                if !warnings.contains(where: { $0.severity == .warning && $0.code == "slate.shrunk" }) {
                    let saysOther = warnings.contains { $0.code == "slate.other-database" }
                    warnings += try shrinkage(export, at: output, of: store, saysOther: saysOther)
                }
                return Place(output: output, replaces: counts != nil, warnings: warnings)
            } else if case .file = self, number == 1, output.exists {
                // What is replaced here was asked for.
                return Place(output: output, replaces: true)
            } else if InputFile.isEncrypted((try? InputFile.head(of: output.path)) ?? []) {
                let message = Messages.keptOtherKey
                warnings.append(Diagnostic(.note, code: "slate.name-taken", message: message, file: output.path))
            } else {
                let message = Messages.keptNoBackup
                warnings.append(Diagnostic(.warning, code: "slate.name-taken", message: message, file: output.path))
            }
        }
        throw CommandFailure(.cannotCreate, Messages.noNameLeft(name, Self.mostNumbers))
    }

    private static let mostNumbers = 999

    private func output(_ number: Int, _ export: CheckedExport, _ kind: SlateFileName.Kind) throws -> OutputFile {
        switch self {
        case .standardOutput: return OutputFile("-")
        case .file(let output): return number == 1 ? output : OutputFile(output.path(numbered: number))
        case .folder(let path):
            guard let name = SlateFileName(exportedAt: export.exportedAt, number: number, kind: kind) else {
                throw CommandFailure(.internalError, Messages.noMoment(export.exportedAt))
            }
            return OutputFile(path.hasSuffix("/") ? "\(path)\(name)" : "\(path)/\(name)")
        }
    }
}

extension OutputFile {
    /// Returns the path with a number before its ending: `notes-2.json`.
    fileprivate func path(numbered number: Int) -> String {
        let name = path.dropFirst(folder.count)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(path)-\(number)" }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }
}

extension String {
    /// The name without the ending of encrypted files.
    var trimmingEncryption: String { hasSuffix(Encryption.ending) ? String(dropLast(Encryption.ending.count)) : self }
}
