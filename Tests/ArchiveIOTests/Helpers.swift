import ArchiveIO

/// The code of the error that something fails with, nil where it succeeds.
func code(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch let error as ArchiveError {
        return error.code.description
    } catch {
        return "\(error)"
    }
}

/// Reads all of an archive; gives the names and contents of its files.
@discardableResult
func readAll(_ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) throws -> [String: [UInt8]] {
    let reader = try ArchiveReader(.bytes(bytes, name: "test"), limits: limits)
    var files: [String: [UInt8]] = [:]
    while let entry = try reader.next() {
        if !entry.isFolder { files[entry.name] = try reader.bytes() }
    }
    return files
}

/// The code that reading all of an archive fails with.
func readingCode(_ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) -> String? {
    code { try readAll(bytes, limits: limits) }
}

/// An archive of our own writer's.
func archive(_ packing: ArchivePacking, _ files: [(String, [UInt8])]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let writer = try ArchiveWriter(packing) { bytes.append(contentsOf: $0) }
    for (name, content) in files { try writer.add(name, bytes: content) }
    try writer.finish()
    return bytes
}

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }
