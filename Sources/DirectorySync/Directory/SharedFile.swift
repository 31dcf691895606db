internal import FileSystem
internal import FolderEncryption
internal import SystemPackage

/// An open file of the shared directory; of a sealed one it shows the content.
final class SharedFile {
    private let file: OpenFile
    private var opener: FileOpener?
    private var sealer: FileSealer?
    private var copy: DecryptedFile?
    var path: String { file.path }
    var descriptor: Int32 { file.descriptor.rawValue }

    /// Opens an ordinary file for reading.
    ///
    /// It neither reads nor waits for a pipe or a device of that name.
    init(reading path: String) throws(DirectoryError) {
        file = try FolderCalls.run { () throws(FileError) in try OpenFile(reading: path) }
    }

    /// Makes a new file.
    init(creating path: String) throws(DirectoryError) {
        file = try FolderCalls.run { () throws(FileError) in try OpenFile(creating: path) }
    }

    // MARK: Sealed files

    /// True if the file is stored encrypted.
    var isSealed: Bool { opener != nil }
    /// Gives the identity inside a sealed file.
    var identity: SealedIdentity? { opener?.identity }
    /// The epoch of a sealed file.
    var epoch: EpochID? { opener?.epoch }

    /// Opens a sealed file: from now on its content is read.
    ///
    /// - Throws: `newer`, `noKey`; `corrupt` for a file that was not sealed so; `incomplete` where it does not match the
    ///   hash in its name.
    func unseal(hash: String?, key: (EpochID) -> EpochKey?) throws(DirectoryError) {
        let size = try size()
        opener = try translating(hash: hash) {
            try FileOpener(size: size, key: key) { [file] offset, buffer in try file.read(at: offset, into: buffer) }
        }
        expected = hash
    }

    /// The hash of the stored bytes, as the name says it; nil where it does not.
    private var expected: String?

    /// Seals what is written from now on.
    func seal(_ sealer: FileSealer) throws(DirectoryError) {
        let beginning = sealer.beginning
        try write(beginning)
        self.sealer = sealer
    }

    /// Ends a sealed file.
    func completeSealing(_ path: String) throws(DirectoryError) {
        guard let sealer else { return }
        self.sealer = nil
        let identity = try translating(hash: nil) {
            try sealer.finish(path) { try file.write($0) }
        }
        try translating(hash: nil) {
            do {
                try identity.withUnsafeBytes {
                    _ = try file.descriptor.writeAll(toAbsoluteOffset: Int64(FileSealer.identityOffset), $0)
                }
            } catch {
                throw FileError(.write, file.path, error as? Errno ?? .ioError)
            }
        }
    }

    /// Returns the hash of the stored bytes.
    func storedHash() throws(DirectoryError) -> String {
        var hash = ContentHash()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { block.deallocate() }
        var offset = 0
        while true {
            let count = try FolderCalls.run { () throws(FileError) in try file.read(at: offset, into: block) }
            guard count > 0 else { return hash.value() }
            hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += count
        }
    }

    private func translating<Result>(hash: String?, _ body: () throws -> Result) throws(DirectoryError) -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw DirectoryError(error)
        } catch let error as DirectoryError {
            throw error
        } catch let error as EncryptionError {
            throw try failure(error, hash: hash)
        } catch {
            throw DirectoryError(.inputOutput, "\(error)", path: path)
        }
    }

    /// Returns the error of a sealed file: a file that does not match its name may still arrive.
    private func failure(_ error: EncryptionError, hash: String?) throws(DirectoryError) -> DirectoryError {
        let code = DirectoryError.Code(error.code)
        if code == .corrupt, try isHollow() { return Self.notDownloaded(path) }
        if let hash, code != .usage, try storedHash() != hash { return Self.incomplete(path, size: try status().size) }
        let way = code == .corrupt ? "; it was changed by somebody who has no key of the folder" : ""
        return DirectoryError(code, error.message + way, path: path)
    }

    static func notDownloaded(_ path: String) -> DirectoryError {
        let message = "a cloud drive has the name of the file here, but not its content; let it fetch the file"
        return DirectoryError(.notDownloaded, message, path: path)
    }

    static func incomplete(_ path: String, size: Int) -> DirectoryError {
        let found =
            size == 0 ? "the file is empty" : "the \(size) bytes of the file are not those that it is named after"
        let message =
            "\(found): it has not arrived yet, or is damaged; it is read again next time, and \"foldersync repair\" on the"
            + " device that wrote it writes it again"
        return DirectoryError(.incomplete, message, path: path)
    }

    // MARK: Reading

    /// Returns the size of the content in bytes.
    func size() throws(DirectoryError) -> Int {
        if let opener { return opener.identity.length }
        return try status().size
    }

    /// Returns the size of the stored file in bytes.
    func storedSize() throws(DirectoryError) -> Int { try status().size }

    /// Returns whether it has a size but no content on the disk, as files that cloud drives did not fetch.
    func isHollow() throws(DirectoryError) -> Bool {
        let status = try status()
        return status.size > 0 && status.blocks == 0
    }

    private func status() throws(DirectoryError) -> FileStatus {
        let status = try FolderCalls.run { () throws(FileError) in try file.status() }
        guard status.kind == .file else {
            throw DirectoryError(.incomplete, "it is no ordinary file; remove it", path: path)
        }
        return status
    }

    /// Reads from an offset on as much as there is and fits.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DirectoryError) -> Int {
        if let opener { return try translating(hash: expected) { try opener.read(at: offset, into: buffer) } }
        return try FolderCalls.run { () throws(FileError) in try file.read(at: offset, into: buffer) }
    }

    /// Returns the size in bytes; throws for a size above the limit.
    func size(atMost limit: Int) throws(DirectoryError) -> Int {
        let size = try size()
        guard size <= limit else {
            let message = "the file has \(size) bytes, but the limit is \(limit)"
            throw DirectoryError(.limit, message, path: path)
        }
        return size
    }

    /// Reads the whole file.
    func bytes(limit: Int) throws(DirectoryError) -> [UInt8] {
        let size = try size(atMost: limit)
        if let opener { return try translating(hash: expected) { try opener.content() } }
        return try FolderCalls.run { () throws(FileError) in try file.bytes(atMost: size) }
    }

    /// Returns a copy of the content of a large sealed file, which lives as long as this object.
    func decrypted() throws -> DecryptedFile {
        if let copy { return copy }
        let copy = try DecryptedFile(of: self)
        self.copy = copy
        return copy
    }

    /// Opens every part of a sealed file, its padding as well; does nothing for another one.
    func checkSeal() throws(DirectoryError) {
        if let opener { try translating(hash: expected) { try opener.check() } }
    }

    // MARK: Writing

    /// Writes all bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(DirectoryError) {
        if let sealer { return try translating(hash: nil) { try sealer.write(bytes) { try file.write($0) } } }
        try FolderCalls.run { () throws(FileError) in try file.write(bytes) }
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws(DirectoryError) {
        var failure: DirectoryError?
        bytes.withUnsafeBytes { bytes in
            do throws(DirectoryError) { try write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Forces the file to the disk and closes it; network file systems only report earlier errors now.
    func finish() throws(DirectoryError) {
        try FolderCalls.run { () throws(FileError) in
            try file.force()
            try file.close()
        }
    }
}

extension DirectoryError.Code {
    /// Makes the code of what an encrypted folder's file or key was refused for.
    init(_ code: EncryptionError.Code) {
        self =
            switch code {
            case .tooNew: .newer
            case .noKey: .noKey
            case .closed: .closed
            case .usage: .usage
            case .key: .inputOutput
            default: .corrupt
            }
    }
}
