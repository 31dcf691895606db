internal import AgeFile
internal import FileSystem
internal import SystemPackage

/// A file that a command reads, or the standard input where it is named `-`.
///
/// A file that age encrypted is decrypted into memory, with the keys of ``DecryptionOptions`` or a passphrase that the
/// person is asked for; nothing of it is given out before all of it is verified.
package struct InputFile: Sendable {
    /// The name as the person gave it, `<stdin>` for `-`.
    package let name: String
    /// The bytes that were read.
    package let bytes: [UInt8]

    /// The most bytes of a text that is kept whole: 512 MiB, several times what ten years of any app come to.
    package static let largest = 1 << 29

    /// Reads a whole file, or the standard input for `-`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The most bytes, as they are after decryption.
    ///   - asks: Whether the person may be asked for a passphrase.
    /// - Throws: 65 where the file is larger than `limit` or has a hole; 66 where it is missing, a folder or not readable;
    ///   74 where reading fails half-way; 77 where it is encrypted and the key is missing or wrong.
    package init(reading path: String, limit: Int = largest, asks: Bool = true) throws(CommandFailure) {
        guard path != "-" else {
            let name = "<stdin>"
            let found: [UInt8]
            do throws(FileError) {
                found = try OpenFile.readAll(from: .standardInput, name: name, limit: limit, expected: 1 << 16)
            } catch {
                throw CommandFailure(error)
            }
            self.init(name: name, bytes: try Self.decrypted(found, name, limit, asks))
            return
        }
        let file: OpenFile
        do throws(FileError) {
            file = try Files.openInput(path)
        } catch {
            throw CommandFailure(error)
        }
        try self.init(file, name: path, limit: limit, asks: asks)
    }

    /// Reads a whole file that is open.
    ///
    /// - Throws: The errors of ``init(reading:limit:asks:)``.
    init(_ file: OpenFile, name: String, limit: Int, asks: Bool) throws(CommandFailure) {
        var found: [UInt8]?
        do throws(FileError) {
            if !Self.isEncrypted(try file.head(512)) {
                found = try file.readAll(limit: limit, expected: try file.status().size)
            }
        } catch {
            throw CommandFailure(error)
        }
        let content =
            if let found {
                try Self.decrypted(found, name, limit, asks)
            } else {
                try DecryptionKeys.content(of: name, limit: limit, asks: asks, file.source())
            }
        self.init(name: name, bytes: content)
    }

    private init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        StandardError.detail("read \(name), \(Words.count(bytes.count, "byte"))")
    }

    /// Returns the content of the bytes that were read, decrypted where they came through a pipe and are encrypted.
    private static func decrypted(
        _ bytes: [UInt8],
        _ name: String,
        _ limit: Int,
        _ asks: Bool
    ) throws(CommandFailure) -> [UInt8] {
        guard isEncrypted(Array(bytes.prefix(512))) else { return bytes }
        return try DecryptionKeys.content(of: name, limit: limit, asks: asks, source(bytes))
    }

    private static func source(_ bytes: [UInt8]) -> (UnsafeMutableRawBufferPointer) -> Int {
        var offset = 0
        return { buffer in
            let count = min(buffer.count, bytes.count - offset)
            buffer.copyBytes(from: bytes[offset..<offset + count])
            offset += count
            return count
        }
    }

    /// Returns the first 512 bytes of an ordinary file as they lie on the disk, by which archives are known.
    ///
    /// It returns no bytes of anything that is no ordinary file.
    ///
    /// - Throws: What reading it throws.
    package static func head(of path: String) throws(CommandFailure) -> [UInt8] {
        do throws(FileError) {
            // Opened once more, a named pipe would wait for another writer.
            if try FileStatus(path)?.kind == .other { return [] }
            return try Files.openInput(path).head(512)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension OpenFile {
    /// Returns a function that reads the bytes of an ordinary file from the beginning on.
    fileprivate func source() -> (UnsafeMutableRawBufferPointer) throws -> Int {
        var offset = 0
        return { buffer in
            let count = try self.read(at: offset, into: buffer)
            offset += count
            return count
        }
    }
}
