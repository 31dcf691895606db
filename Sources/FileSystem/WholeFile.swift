package import SystemPackage

/// Files that are read whole, and files that are replaced whole.
extension Files {
    /// Opens anything but a folder or a device; a person may type at a terminal.
    package static func openInput(_ path: String) throws(FileError) -> OpenFile {
        guard !path.isEmpty else { throw FileError(.open, "a file without a name", .noSuchFileOrDirectory) }
        let file = try OpenFile(path, .open, .readOnly, [.closeOnExec, Platform.noControllingTerminal])
        switch try file.status().kind {
        case .folder: throw FileError(.open, path, .isDirectory)
        case .device: throw FileError(.open, path, unusable: "it is a device")
        // Such as /dev/zero, which never ends.
        case .terminalOrStream where !Platform.isTerminal(file.descriptor):
            throw FileError(.open, path, unusable: "it is a device")
        default: return file
        }
    }

    /// Reads a whole file.
    ///
    /// - Throws: A fault of the content where the file is larger than `limit` or has a hole.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let file = try openInput(path)
        return try file.readAll(limit: limit, expected: try file.status().size)
    }

    /// Writes a file in place of what is there: after a crash, the old content or the new one has the name.
    ///
    /// An existing file keeps its mode.
    ///
    /// - Parameter mode: Who may use a new file; by default what the user's umask leaves.
    package static func write(_ bytes: [UInt8], to path: String, mode: UInt16? = nil) throws(FileError) {
        _ = try modeToKeep(path)
        let pending = try PendingFile(in: folderPrefix(of: path), for: path)
        try pending.write(bytes)
        try pending.commit(as: path, mode: mode)
    }

    /// Checks that a file can take a name.
    ///
    /// - Returns: The permissions of the file that is there, nil where there is none.
    @discardableResult
    package static func modeToKeep(_ path: String) throws(FileError) -> UInt16? {
        guard let last = path.utf8.last, last != UInt8(ascii: "/") else {
            throw FileError(.create, path.isEmpty ? "a file without a name" : path, unusable: "no file name")
        }
        let status: FileStatus
        do throws(FileError) {
            guard let found = try FileStatus(path, followsLinks: false) else { return nil }
            status = found
        } catch {
            // Making the file reports everything else.
            guard error.errno == .fileNameTooLong else { return nil }
            throw FileError(.create, path, error.errno)
        }
        switch status.kind {
        case .file: return status.permissions
        case .folder: throw FileError(.create, path, unusable: "it is a folder")
        case .link:
            throw FileError(.create, path, unusable: "it is a symbolic link; name the file it points to")
        default: throw FileError(.create, path, unusable: "it is no ordinary file; use - for the output stream")
        }
    }
}

extension OpenFile {
    /// Reads until the end from where the file stands.
    ///
    /// - Throws: A fault of the content where there are more than `limit` bytes, or a hole.
    package func readAll(limit: Int, expected: Int) throws(FileError) -> [UInt8] {
        guard expected <= limit else { throw FileError.tooLarge(path, limit, size: expected) }
        return try Self.readAll(from: descriptor, name: path, limit: limit, expected: expected)
    }

    /// Reads a whole ordinary file, wherever it stands.
    ///
    /// - Throws: A fault of the content where there are more than `limit` bytes, or a hole.
    package func content(limit: Int) throws(FileError) -> [UInt8] {
        do {
            try descriptor.seek(offset: 0, from: .start)
        } catch {
            throw FileError(.read, path, error as? Errno ?? .ioError)
        }
        return try readAll(limit: limit, expected: try status().size)
    }

    /// Reads what a descriptor gives, until the end.
    ///
    /// - Parameter expected: The size to set aside at first, which takes no memory before it is used.
    package static func readAll(
        from descriptor: FileDescriptor,
        name: String,
        limit: Int,
        expected: Int
    ) throws(FileError) -> [UInt8] {
        var holes = HoleCheck()
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try descriptor.readAll(expected: expected, limit: limit) { holes.take($0) }
        } catch {
            throw FileError(error == .isDirectory ? .open : .read, name, error)
        }
        try holes.check(name)
        guard bytes.count <= limit else { throw FileError.tooLarge(name, limit) }
        return bytes
    }

    /// Returns the first bytes of an ordinary file; none of anything else.
    package func head(_ count: Int) throws(FileError) -> [UInt8] {
        guard try status().kind == .file else { return [] }
        return try bytes(atMost: count)
    }
}

extension FileDescriptor {
    private static let piece = 1 << 18

    /// Reads until the end, until there is more than `limit`, or until `look` says no.
    fileprivate func readAll(
        expected: Int,
        limit: Int,
        _ look: (UnsafeRawBufferPointer) -> Bool
    ) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        if expected > Self.piece {
            let (found, isAtEnd) = try readLarge(capacity: min(expected, limit) + 1, look)
            if isAtEnd { return found }
            bytes = found
        }
        var chunk = max(1, min(expected, limit, Self.piece)) + 1
        while bytes.count <= limit {
            let start = bytes.count
            var count = 0
            do {
                let more = try [UInt8](unsafeUninitializedCapacity: chunk) { space, used in
                    count = try read(into: UnsafeMutableRawBufferPointer(space))
                    used = count
                }
                if count == 0 { return bytes }
                guard more.withUnsafeBytes(look) else { return bytes }
                if start == 0 { bytes = more } else { bytes += more }
            } catch {
                throw error as? Errno ?? .ioError
            }
            chunk = expected > Self.piece ? Self.piece : max(1 << 16, min(chunk - count, limit))
        }
        return bytes
    }

    /// Reads to where the bytes stay, until there is no more room, until the end, or until `look` says no.
    private func readLarge(
        capacity: Int,
        _ look: (UnsafeRawBufferPointer) -> Bool
    ) throws(Errno) -> (bytes: [UInt8], isAtEnd: Bool) {
        var isAtEnd = false
        do {
            let bytes = try [UInt8](unsafeUninitializedCapacity: capacity) { space, used in
                let space = UnsafeMutableRawBufferPointer(space)
                while !isAtEnd, used < space.count {
                    let rest = space[used..<min(used + Self.piece, space.count)]
                    let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: rest))
                    isAtEnd = count == 0 || !look(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
                    used += count
                }
            }
            return (bytes, isAtEnd)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}

extension FileError {
    /// Makes the fault of a file that is larger than a program takes.
    package static func tooLarge(_ name: String, _ limit: Int, size: Int? = nil) -> FileError {
        let found = size.map { "it has \($0) bytes, and \(limit) is the limit" }
        return FileError(.content, name, unusable: found ?? "it has more than \(limit) bytes, which is the limit")
    }
}

/// Notices a hole in a file, as a crash leaves it or somebody makes it to fill the memory.
///
/// No text has a MiB of NUL bytes.
package struct HoleCheck {
    private static let most = 1 << 20

    private var position = 0
    private var start: Int?
    private var isFound = false

    package init() {}

    /// Takes the next bytes.
    ///
    /// - Returns: Whether to go on.
    package mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        defer { position += piece.count }
        // Pieces are small against a hole: one that is not all NUL ends it.
        guard piece.first == 0, piece.last == 0, piece.allSatisfy({ $0 == 0 }) else {
            start = nil
            return true
        }
        let first = start ?? position
        start = first
        isFound = position + piece.count - first >= Self.most
        return !isFound
    }

    /// Throws a fault of the content where there is a hole.
    package func check(_ name: String) throws(FileError) {
        guard isFound, let start else { return }
        let message = "more than a MiB from byte \(start) on is NUL: the file was not written completely, or has a hole"
        throw FileError(.content, name, unusable: "\(message); take another copy")
    }
}
