import BZTimer
import FormatKit
import Foundation
import StrictJSON

/// The files below `fixtures/bztimer`.
enum Fixtures {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures/bztimer")

    static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: root.appending(path: path))) }

    static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    static func value(_ path: String) throws -> JSONValue { try JSONDocument(parsing: bytes(path)).root.value }

    /// The names of the JSON files of a folder, without the extension.
    static func names(_ folder: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path())) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// The paths of the fixtures that each version's programs wrote.
    static let released = (1...BztimerFormat.currentVersion).flatMap { version in
        names("v\(version)").map { "v\(version)/\($0).json" }
    }

    static func version(_ path: String) -> Int { path.utf8.dropFirst().first.map { Int($0) - 48 } ?? 0 }
}

/// A file as bytes in indented form.
func bytes(_ value: JSONValue) -> [UInt8] { value.encoded(.indented) }

extension FormatVersions {
    /// Returns the diagnostics that a file should give, with the numbers of the format's versions in them; nil where there
    /// are none.
    func expected(_ text: () throws -> String) -> String? {
        try? text().replacing("{newest}", with: "\(current)").replacing("{versions}", with: list)
    }
}
