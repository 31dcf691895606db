internal import FileSystem
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The content of a large sealed file, in a file without a name that only this process can read.
final class DecryptedFile {
    private static let room = 1 << 18

    private let copy: PendingFile
    /// The copy's descriptor, open as long as this object lives.
    var descriptor: Int32 { copy.file.descriptor.rawValue }

    /// Decrypts a file into the folder for temporary files.
    ///
    /// - Throws: The errors of reading the file; `inputOutput`, `noSpace` where it cannot be copied.
    init(of file: SharedFile) throws {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        copy = try FolderCalls.run { () throws(FileError) in
            try PendingFile(unnamedIn: folder, for: "a decrypted checkpoint")
        }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.room, alignment: 16)
        defer { block.deallocate() }
        var offset = 0
        while true {
            let copy = self.copy
            let count = try file.read(at: offset, into: block)
            guard count > 0 else { break }
            try FolderCalls.run { () throws(FileError) in
                try copy.write(UnsafeRawBufferPointer(rebasing: block[..<count]))
            }
            offset += count
        }
    }
}
