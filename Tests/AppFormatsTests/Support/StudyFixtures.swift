import FormatKit
import Foundation
import StrictJSON
import StudyTimer

/// The files below `fixtures/study`.
enum StudyFixtures {
    static let root = Fixtures.root.deletingLastPathComponent().appending(path: "study")

    static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: root.appending(path: path))) }

    static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    static func value(_ path: String) throws -> JSONValue { try JSONDocument(parsing: bytes(path)).root.value }

    /// The names of the JSON files of a folder, without the extension.
    static func names(_ folder: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path())) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// The paths of the fixtures of both versions.
    static let released = (1...StudyFormat.currentVersion).flatMap { version in
        names("v\(version)").map { "v\(version)/\($0).json" }
    }

    static func version(_ path: String) -> Int { path.hasPrefix("v1") ? 1 : 2 }
}
