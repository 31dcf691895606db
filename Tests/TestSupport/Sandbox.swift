public import Foundation

/// A folder of a test's own, which goes with it.
public final class Sandbox: Sendable {
    /// The folder.
    public let folder: URL

    /// Makes the folder.
    public init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The path of a file in the folder.
    public func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes a file and gives its path.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: folder.appending(path: name))
        return path(name)
    }

    /// Writes a file and gives its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

    /// The bytes of a file.
    public func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    /// Whether there is such a file.
    public func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Removes a file, if it is there.
    public func remove(_ name: String) throws {
        if has(name) { try FileManager.default.removeItem(atPath: path(name)) }
    }

    /// The names of all files below the folder, in order.
    public func names() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() }
}
