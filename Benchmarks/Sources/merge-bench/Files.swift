#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file that is being written.
final class Output {
    private let file: UnsafeMutablePointer<FILE>
    private var size = 0

    init(_ path: String) throws {
        guard let file = fopen(path, "w") else { throw DatabaseError(description: "\(path) cannot be written") }
        self.file = file
    }

    func write(_ line: UnsafeRawBufferPointer) throws {
        guard fwrite(line.baseAddress, 1, line.count, file) == line.count, putc(10, file) == 10 else {
            throw DatabaseError(description: "the checkpoint cannot be written")
        }
        size += line.count + 1
    }

    func write(_ line: [UInt8]) throws { try line.withUnsafeBytes { try write($0) } }

    func close() throws -> Int {
        guard fclose(file) == 0 else { throw DatabaseError(description: "the checkpoint cannot be written") }
        return size
    }
}

func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "w") else { throw DatabaseError(description: "\(path) cannot be written") }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else { throw DatabaseError(description: "\(path) is not whole") }
}

func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw DatabaseError(description: "\(path) cannot be read") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while true {
        let count = fread(&piece, 1, piece.count, file)
        if count == 0 { return bytes }
        bytes += piece[..<count]
    }
}
