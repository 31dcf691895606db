import Foundation

/// A file that goes when it is no longer used.
final class TemporaryFile {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID().uuidString)").path
        try write([])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes into the same file, as somebody careless would.
    func write(_ bytes: [UInt8]) throws {
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }
}

/// The specifications in docs/formats.
enum SpecificationFile {
    static func bytes(_ name: String) -> [UInt8]? {
        let project = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return (try? Data(contentsOf: project.appending(path: "docs/formats/\(name)"))).map { [UInt8]($0) }
    }
}
