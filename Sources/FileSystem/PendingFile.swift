internal import SystemPackage

/// A file that is written piece by piece, can be read back, and takes its name in one step once it is complete.
///
/// Until then it lies in the folder under a name of its own; where it does not come to ``commit(as:)``, it goes with
/// this object. It is locked meanwhile, so that what an interrupted program left behind can be told from it, and only its
/// owner can read it.
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

    /// Makes an empty file without a name, which never gets one.
    ///
    /// - Parameters:
    ///   - folder: The folder whose disk it lies on.
    ///   - name: What the message calls it.
    package init(unnamedIn folder: String, for name: String) throws(FileError) {
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        self.name = name
        file = try Self.make(in: self.folder, name)
        try Files.remove(file.path)
        isPending = false
    }

    /// Makes an empty file that only its owner can read, and locks it.
    ///
    /// - Parameter lock: Locks a file; it waits for whoever has it.
    static func make(
        in folder: String,
        _ name: String,
        lock: (OpenFile) throws(FileError) -> Void = { file throws(FileError) in _ = try file.lock(waits: true) }
    ) throws(FileError) -> OpenFile {
        var reason = Errno.fileExists
        for attempt in 0..<100 {
            do throws(FileError) {
                let path = "\(folder)\(prefix)\(Files.process)-\(attempt)\(suffix)"
                let file = try OpenFile(creating: path, mode: 0o600)
                // Another program may just be taking it for a leftover; then it is without a name, and the next is tried.
                if try isHeld(file, lock) { return file }
            } catch {
                guard error.errno == .fileExists else {
                    reason = error.errno
                    break
                }
            }
        }
        throw FileError(.create, name, reason)
    }

    /// Locks a new file, which goes where that fails.
    ///
    /// On a file system without locks nothing is taken for a leftover, as that takes a lock.
    ///
    /// - Returns: Whether it still has its name.
    private static func isHeld(
        _ file: OpenFile,
        _ lock: (OpenFile) throws(FileError) -> Void
    ) throws(FileError) -> Bool {
        do throws(FileError) {
            do throws(FileError) {
                try lock(file)
            } catch {
                let unsupported: [Errno] = [.noLocks, .notSupported, .notSupportedOnSocket, .noFunction]
                guard unsupported.contains(error.errno) else { throw error }
            }
            return try file.status().names > 0
        } catch {
            _ = try? Files.remove(file.path)
            throw error
        }
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
    ///
    /// - Parameter mode: Who may use a new file; by default what the user's umask leaves.
    package func commit(as path: String, mode: UInt16? = nil) throws(FileError) {
        let kept = try Files.modeToKeep(path)
        do throws(FileError) {
            let mode = if let known = kept ?? mode { known } else { try Self.modeOfNewFile(in: folder) }
            // File systems that have one mode for all files refuse to set one.
            if try file.status().permissions != mode { try file.setPermissions(mode) }
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

    /// Returns who may use a file that is made in a folder.
    ///
    /// The umask cannot be read without being set for all threads, and a folder can have a list of its own. So an empty file
    /// is made, and removed.
    private static func modeOfNewFile(in folder: String) throws(FileError) -> UInt16 {
        let probe = try OpenFile(creating: "\(folder)\(prefix)\(UInt64.random(in: 0 ... .max))\(suffix)")
        defer { _ = try? Files.remove(probe.path) }
        return try probe.status().permissions
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
        guard let file = try? OpenFile(reading: path, followsLinks: false) else { return }
        removeLeftover(file)
    }

    /// Removes a file that nobody holds, if it still has the name that it was opened by.
    ///
    /// The program that wrote it may have given it its own name since, and have made another one of that name.
    static func removeLeftover(_ file: OpenFile) {
        guard let status = try? file.status(), status.kind == .file, (try? file.lock(waits: false)) == true,
            (try? FileStatus(file.path, followsLinks: false))?.identity == status.identity
        else { return }
        _ = try? Files.remove(file.path)
    }
}
