import CivilTime
import FormatKit
import RecordStore
import StrictJSON
import Testing
import TestSupport
import TimeTracker

/// A moment that a test names.
func moment(_ text: String) -> ZonedTimestamp { ZonedTimestamp(text) ?? ZonedTimestamp(Timestamp(seconds: 0)) }

/// A folder with a Time Tracker store that a test fills.
struct TrackerSandbox {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    func path(_ name: String = "tracker.db") -> String { sandbox.path(name) }

    func writing(_ name: String = "tracker.db") throws -> TrackerStore {
        try TrackerStore(path: path(name), for: .writing(mustExist: false))
    }

    func reading(_ name: String = "tracker.db") throws -> TrackerStore {
        try TrackerStore(path: path(name), for: .reading)
    }

    /// The export of a store.
    func export(_ name: String = "tracker.db", at moment: String? = nil, version: Int = 2) throws -> [UInt8] {
        let collected = Collector()
        _ = try reading(name).export(exportedAt: moment, version: version) { collected.bytes += $0 }
        return collected.bytes
    }

    final class Collector {
        var bytes: [UInt8] = []
    }

    /// The activities of a store.
    func activities(_ name: String = "tracker.db") throws -> [TrackerActivity] {
        var found: [TrackerActivity] = []
        try reading(name).read { try $0.forEachActivity { found.append($0) } }
        return found
    }
}

extension TrackerContent {
    /// The content of a file.
    static func read(_ bytes: [UInt8]) throws -> TrackerContent {
        let reading = TrackerFormat.read(bytes)
        return try #require(reading.content, "\(reading.diagnostics)")
    }

    static func made(_ activities: [TrackerActivity], buttons: [ActivityButton] = []) throws -> TrackerContent {
        try read(TrackerExport(buttons: buttons, activities: activities).encoded().bytes)
    }
}

extension TrackerImportPlan {
    /// The counts in one line: `activity: create 2, skip 1; button: create 1`.
    var line: String {
        TrackerImportAction.Subject.allCases.compactMap { subject in
            let counts = TrackerImportAction.Verb.allCases.compactMap { verb in
                count(verb, subject) == 0 ? nil : "\(verb) \(count(verb, subject))"
            }
            return counts.isEmpty ? nil : "\(subject): \(counts.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
