import BZTimer
import CivilTime
import GymPulse
import StrictJSON
import Testing
import TestSupport

extension Sandbox {
    /// The sessions of a store as `show` prints them.
    func sessions(_ store: String) async throws -> [SessionTemplate] {
        let list = try await bzpack("list", "--store", store, "--format", "json")
        var sessions: [SessionTemplate] = []
        for entry in try list.json["sessions"]?.array ?? [] {
            let id = try #require(entry["id"]?.string)
            let shown = try await bzpack("show", id, "--store", store, "--format", "json")
            sessions.append(try SessionTemplate(json: try shown.json))
        }
        return sessions
    }

    /// The content digests of the sessions of a store.
    func digests(_ store: String) async throws -> [ContentDigest] {
        try await sessions(store).map { ContentDigest(of: $0) }
    }
}

extension BztimerFile {
    /// A file of so many sessions that differ.
    static func generated(sessions: Int, named name: String = "Session", blocks: Int = 1) -> BztimerFile {
        BztimerFile(
            exporting: (1...max(1, sessions)).map { number in
                SessionTemplate(
                    id: "s\(number)",
                    name: "\(name) \(number)",
                    items: (0..<blocks).map { index in
                        BlockInstance(
                            id: "b\(index)",
                            label: "Block \(index)",
                            kind: .activity,
                            timing: .duration(seconds: number + index),
                            category: "Exercise"
                        )
                    }
                )
            },
            generator: "test",
            exportedAt: Timestamp(seconds: 1_800_000_000)
        )
    }

    /// The file's bytes in the current version.
    var bytes: [UInt8] { json.encoded(.indented) }
}
