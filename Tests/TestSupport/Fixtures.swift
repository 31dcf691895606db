public import Foundation

/// The project's own fixtures.
public enum Fixtures {
    /// The folder `fixtures`.
    public static let folder = SharedFolder.project.appending(path: "fixtures")

    /// The path of a file in the folder.
    public static func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The bytes of a file in the folder.
    public static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    /// The names of the files in a folder in the folder, in order.
    public static func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted().map { "\(name)/\($0)" }
    }
}
