package import SystemPackage

/// A file that is open, for as long as this object lives.
package final class OpenFile {
    package let path: String
    package let descriptor: FileDescriptor
    private var isOpen = true

    /// Opens for reading; a pipe or a device that someone put there does not block.
    ///
    /// - Parameter followsLinks: Whether what a link leads to is opened, or nothing.
    package convenience init(reading path: String, followsLinks: Bool = true) throws(FileError) {
        // swift-system has no name for O_NOCTTY: a terminal that someone put there does not become this program's.
        var options: FileDescriptor.OpenOptions = [.closeOnExec, .nonBlocking, Platform.noControllingTerminal]
        if !followsLinks { options.insert(.noFollow) }
        try self.init(path, .open, .readOnly, options)
    }

    /// Makes a file that nobody else has, to be written and read back.
    ///
    /// - Parameter mode: Who may use it, as far as the user's umask lets them.
    package convenience init(creating path: String, mode: UInt16 = 0o666) throws(FileError) {
        try self.init(path, .create, .readWrite, [.create, .exclusiveCreate, .closeOnExec, .noFollow], mode)
    }

    init(
        _ path: String,
        _ step: FileError.Step,
        _ access: FileDescriptor.AccessMode,
        _ options: FileDescriptor.OpenOptions,
        _ mode: UInt16 = 0
    ) throws(FileError) {
        self.path = path
        do {
            let permissions = options.contains(.create) ? FilePermissions(rawValue: .init(mode)) : nil
            descriptor = try FileDescriptor.open(path, access, options: options, permissions: permissions)
        } catch {
            throw FileError(step, path, error as? Errno ?? .ioError)
        }
    }

    deinit { if isOpen { try? descriptor.close() } }

    /// Returns the attributes of the open file.
    package func status() throws(FileError) -> FileStatus {
        do throws(Errno) {
            return FileStatus(try Stat(descriptor))
        } catch {
            throw FileError(.look, path, error)
        }
    }

    /// Reads from a place on as much as there is and fits.
    package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        var done = 0
        do {
            while done < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                let count = try descriptor.read(fromAbsoluteOffset: Int64(offset + done), into: rest)
                if count == 0 { break }
                done += count
            }
        } catch {
            throw FileError(.read, path, error as? Errno ?? .ioError)
        }
        return done
    }

    /// Reads from the beginning as much as there is, up to a limit.
    package func bytes(atMost limit: Int) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(FileError) {
                count = try read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of it where the last write ended.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        do {
            try descriptor.writeAll(bytes)
        } catch {
            throw FileError(.write, path, error as? Errno ?? .ioError)
        }
    }

    /// Copies all of it, or as much as is asked for, to a new file, which is not forced to the disk.
    ///
    /// - Parameter mode: Who may use the copy, as far as the user's umask lets them.
    package func copy(to copy: String, mode: UInt16, atMost limit: Int = .max) throws(FileError) {
        let target = try OpenFile(creating: copy, mode: mode)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < limit {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, limit - offset)])
            let count = try read(at: offset, into: room)
            guard count > 0 else { break }
            try target.write(UnsafeRawBufferPointer(rebasing: room[..<count]))
            offset += count
        }
        try target.close()
    }

    /// Sets who may use it.
    package func setPermissions(_ mode: UInt16) throws(FileError) {
        do throws(Errno) {
            try Platform.setPermissions(.init(mode), of: descriptor)
        } catch {
            throw FileError(.write, path, error)
        }
    }

    /// Forces what was written to the disk.
    package func force() throws(FileError) {
        do throws(Errno) {
            try Platform.force(descriptor)
        } catch {
            throw FileError(.force, path, error)
        }
    }

    /// Closes it; network file systems say only now what went wrong before.
    package func close() throws(FileError) {
        isOpen = false
        do {
            try descriptor.close()
        } catch {
            throw FileError(.write, path, error as? Errno ?? .ioError)
        }
    }

    /// Locks it against others who do the same, until it is closed.
    ///
    /// - Returns: False where another has it and nobody waits.
    package func lock(waits: Bool) throws(FileError) -> Bool {
        do throws(Errno) {
            return try Platform.lock(descriptor, waits: waits)
        } catch {
            throw FileError(.lock, path, error)
        }
    }
}

/// A lock on a file, which goes with this object or with the process.
package final class FileLock {
    private let file: OpenFile

    /// Waits until nobody else has it; makes the file where there is none.
    package init(_ path: String) throws(FileError) {
        file = try OpenFile(path, .create, .readWrite, [.create, .closeOnExec, .noFollow], 0o600)
        _ = try file.lock(waits: true)
    }
}
