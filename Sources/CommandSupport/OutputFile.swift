internal import FileSystem

/// A file that a command writes, or the standard output where it is named `-`.
///
/// The bytes go into a new file in the same folder, are forced to the disk, and take the name in one step; the folder
/// is forced to the disk as well. Whatever happens, there is the old content or the new one under that name.
package struct OutputFile: Sendable {
    /// The path as the person gave it.
    package let path: String

    /// Makes an output file.
    package init(_ path: String) { self.path = path }

    /// True if this is the standard output.
    package var isStandardOutput: Bool { path == "-" }

    /// True if there is an ordinary file of that name.
    package var exists: Bool {
        !isStandardOutput && (try? FileStatus(path, followsLinks: false))?.kind == .file
    }

    /// True if there is anything of that name.
    package var isTaken: Bool { !isStandardOutput && (try? Files.exists(path)) == true }

    /// Writes the bytes in place of what is there; an existing file keeps its mode.
    ///
    /// - Throws: The errors of ``check()``; 73 where the file cannot be created; 74 where writing fails half-way. The old
    ///   content stays in all cases.
    package func write(_ bytes: [UInt8]) throws(CommandFailure) {
        if isStandardOutput { return try StandardOutput.shared.write(bytes) }
        try check(isEncrypted: InputFile.isEncrypted(Array(bytes.prefix(1_024))))
        do throws(FileError) {
            let replaced = Printing.current.isVerbose && exists ? ", in place of what was there" : ""
            try Files.write(bytes, to: path)
            StandardError.detail("wrote \(path), \(Words.count(bytes.count, "byte"))\(replaced)")
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Says where the file is that was written, unless it is the standard output.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    package func reportWritten() throws(CommandFailure) {
        if !isStandardOutput { try StandardOutput.shared.report("Wrote \(TerminalText.safe(path)).\n") }
    }

    /// The folder of the file, with a slash at its end; empty for the current folder.
    package var folder: String { Files.folderPrefix(of: path) }

    /// Checks that the name is not empty, and not that of something which is no ordinary file.
    ///
    /// - Throws: 73 where it is.
    package func checkName() throws(CommandFailure) {
        guard !isStandardOutput else { return }
        do throws(FileError) {
            try Files.modeToKeep(path)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// True if the name is that of an encrypted file.
    package var isNamedEncrypted: Bool { path.lowercased().hasSuffix(Encryption.ending) }

    /// Checks, before anything is done, that the file can take its name: a database stays, whatever is answered, and nobody
    /// is to take for encrypted what can be read.
    ///
    /// - Parameter isEncrypted: Whether what is to be written is encrypted.
    /// - Throws: 64 where a database lies there, or the name is that of an encrypted file and the content is not; the errors
    ///   of ``checkName()``.
    package func check(isEncrypted: Bool = false) throws(CommandFailure) {
        guard isEncrypted || isStandardOutput || !isNamedEncrypted else {
            let message = "\(path) is named like an encrypted file, and what would be written is not encrypted"
            throw CommandFailure(.usage, "\(message): name another file")
        }
        try checkName()
        guard exists, let head = try? InputFile.head(of: path), head.starts(with: Array("SQLite format 3".utf8)) else {
            return
        }
        throw CommandFailure(.usage, "\(path) is a database, which this does not replace; name another file")
    }
}
