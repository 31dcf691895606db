import Foundation
import RecordMerge
import StrictJSON
import Testing

/// The schemas of the apps.
enum Schemas {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Schemas")

    static func value(_ name: String) throws -> JSONValue {
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "\(name).schema.json")))
        return try JSONDocument(parsing: bytes).root.value
    }

    static func rules(_ name: String, others: [String] = []) throws -> MergeSchema {
        try MergeSchema(reading: try value(name), others: try others.map(value))
    }

    static func slate() throws -> MergeSchema { try rules("slate/slate-2") }
    static func presets() throws -> MergeSchema { try rules("presets/presets-2") }
    static func tracker() throws -> MergeSchema { try rules("tracker/tracker-2") }
    static func study() throws -> MergeSchema { try rules("study/study-2") }
    static func bztimer() throws -> MergeSchema { try rules("bztimer/bztimer-3") }
    static func store() throws -> MergeSchema {
        try rules("bztimer/bztimer-store-1", others: ["bztimer/bztimer-3", "presets/presets-2"])
    }
}

/// A JSON text as a value.
func json(_ text: String) throws -> JSONValue { try JSONDocument(parsing: text).root.value }

extension WriterID {
    /// A writer of that name, which tests know to be one.
    static func named(_ name: String) -> WriterID {
        guard let writer = WriterID(name) else { preconditionFailure("no name of a writer: \(name)") }
        return writer
    }
}

/// The path of a conflict and what kind it is.
func told(_ conflicts: [Conflict]) -> [String] {
    conflicts.map { ([$0.kind.rawValue, $0.key.collection, $0.key.key] + $0.path).joined(separator: " ") }
}
