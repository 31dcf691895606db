internal import SystemPackage

/// A file that is written piece by piece, can be read back, and takes its name in one step once it is complete.
///
/// Until then it lies in the folder under a name of its own; where it does not come to ``commit(as:)``, it goes with
/// this object. It is locked meanwhile, so that what an interrupted program left behind can be told from it.
///
/// ```swift
/// let pending = try PendingFile(in: "backups")
/// try pending.write(piece)
/// try pending.commit(as: "backups/Slate-20260107.json")
/// ```
package final class PendingFile {
    /// The path of the temporary file, until the file is complete.
    package var path: String { file.path }
    /// The open file.
    package let file: OpenFile
    private let folder: String
    /// The file's name in messages.
    package let name: String
    private var isPending = true

    /// Makes an empty file.
    ///
    /// - Parameters:
    ///   - folder: The folder in which the file will stay; it is on the same file system then.
    ///   - name: What the message calls the file; by default the folder.
    package init(in folder: String, for name: String? = nil) throws(FileError) {
        self.folder = folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
        self.name = name ?? (folder.isEmpty ? "a file in this folder" : "a file in \(folder)")
        file = try Self.make(in: self.folder, self.name)
    }

    /// Makes an empty file without a name, which only this process can read and which never gets one.
    ///
    /// - Parameters:
    ///   - folder: The folder whose disk it lies on.
    ///   - name: What the message calls it.
    package init(unnamedIn folder: String, for name: String) throws(FileError) {
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        self.name = name
        file = try Self.make(in: self.folder, name, mode: 0o600)
        try Files.remove(file.path)
        isPending = false
    }

    private static func make(
        in folder: String,
        _ name: String,
        mode: UInt16 = 0o666
    ) throws(FileError) -> OpenFile {
        var reason = Errno.fileExists
        for attempt in 0..<100 {
            do throws(FileError) {
                let path = "\(folder)\(prefix)\(Files.process)-\(attempt)\(suffix)"
                let file = try OpenFile(creating: path, mode: mode)
                // Another program may just be taking it for a leftover; then it is without a name, and the next is tried.
                _ = try file.lock(waits: true)
                if try file.status().names > 0 { return file }
            } catch {
                guard error.errno == .fileExists else {
                    reason = error.errno
                    break
                }
            }
        }
        throw FileError(.create, name, reason)
    }

    deinit { if isPending { _ = try? Files.remove(path) } }

    /// Writes the next bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        do throws(FileError) {
            try file.write(bytes)
        } catch {
            throw FileError(.write, name, error.errno)
        }
    }

    /// Writes the next bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        let failure = bytes.withUnsafeBytes { bytes in
            do throws(FileError) {
                try write(bytes)
                return nil as FileError?
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Forces the file to the disk and gives it a name in its folder, in place of what is there.
    ///
    /// An existing file's mode stays. What was there stays where this fails.
    package func commit(as path: String) throws(FileError) {
        let mode = try Files.modeToKeep(path)
        do throws(FileError) {
            if let mode { try file.setPermissions(mode) }
            try file.force()
            try Files.rename(self.path, to: path)
        } catch {
            throw FileError(.write, path, error.errno)
        }
        isPending = false
        do throws(FileError) {
            try Files.force(folder: folder.isEmpty ? "." : folder)
        } catch {
            throw FileError(.forceFolder, path, error.errno)
        }
    }

    // MARK: Leftovers

    private static let prefix = ".satchel-"
    private static let suffix = ".tmp"

    /// Removes what programs that were interrupted have left in a folder: pending files that nobody holds.
    package static func removeLeftovers(in folder: String) {
        let path = folder.isEmpty ? "." : folder
        for name in (try? Files.names(in: path).names) ?? [] where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            removeLeftover("\(path)/\(name)")
        }
    }

    private static func removeLeftover(_ path: String) {
        guard let file = try? OpenFile(reading: path, followsLinks: false), (try? file.status())?.kind == .file,
            (try? file.lock(waits: false)) == true
        else { return }
        _ = try? Files.remove(path)
    }
}
