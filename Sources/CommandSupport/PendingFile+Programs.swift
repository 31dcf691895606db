package import FileSystem
package import StrictJSON
internal import SystemPackage

extension PendingFile {
    /// The open file, for those who write to a descriptor.
    package var descriptor: Int32 { file.descriptor.rawValue }

    /// Returns the bytes written so far, to be read from the beginning.
    ///
    /// The source is good while this object lives and nothing is written.
    package func source() -> JSONByteSource {
        let file = file
        var offset = 0
        return JSONByteSource(
            read: { buffer in
                let count = try file.read(at: offset, into: buffer)
                offset += count
                return count
            },
            rewind: { offset = 0 }
        )
    }

    /// Gives all that was written so far to a function, piece by piece.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let source = source()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try source.read(buffer)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Gives the complete file its name.
    package func commit(as output: OutputFile) throws(FileError) {
        let replaced = Printing.current.isVerbose && output.exists ? ", in place of what was there" : ""
        try commit(as: output.path)
        StandardError.detail("wrote \(output.path), which was written beside it and checked first\(replaced)")
    }
}
