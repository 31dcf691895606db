public import Foundation

/// The folder of other people's test data that lies beside the project where the project is developed, and in CI.
public enum SharedFolder {
    /// The project's root.
    public static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder, or nil where it is missing.
    public static let url: URL? = {
        let url = project.deletingLastPathComponent().appending(path: "shared")
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }()

    /// Whether the folder is there; tests that need it are skipped otherwise.
    public static var exists: Bool { url != nil }

    /// Whether something is in the folder.
    public static func has(_ path: String) -> Bool {
        url.map { FileManager.default.fileExists(atPath: $0.appending(path: path).path) } ?? false
    }

    /// The bytes of a file in the folder.
    public static func bytes(_ path: String) throws -> [UInt8] {
        guard let url else { throw CocoaError(.fileNoSuchFile) }
        return [UInt8](try Data(contentsOf: url.appending(path: path)))
    }

    /// The paths of the JSON files below a folder in the folder, in order.
    public static func jsonFiles(below path: String) throws -> [String] {
        guard let url else { return [] }
        let names = try FileManager.default.subpathsOfDirectory(atPath: url.appending(path: path).path)
        return names.filter { $0.hasSuffix(".json") }.sorted().map { "\(path)/\($0)" }
    }
}
