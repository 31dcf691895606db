internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import RecordStore
internal import Slate
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// The merged state as a file that an app imports.
struct InboxOutput {
    let app: AppID
    let bytes: [UInt8]

    /// Makes the file; what no reader of the format takes is never written.
    ///
    /// - Parameter document: The state as a document of the app's format, in its current version.
    /// - Throws: 65 with what the reader finds.
    init(_ app: AppID, _ document: JSONValue) throws {
        self.app = app
        let source = document.encoded(.compact)
        let name = "the merged state"
        switch app {
        case .slate:
            let reading = SlateFormat.read(source, name: name)
            bytes = try Self.checked(reading.content, reading.diagnostics).encoded()
        case .tracker:
            let reading = TrackerFormat.read(source, name: name)
            bytes = try Self.checked(reading.content, reading.diagnostics).encoded().bytes
        case .study:
            let reading = StudyFormat.read(source, name: name, repair: true)
            bytes = try Self.checked(reading.content, reading.diagnostics).encoded().bytes
        case .bztimer:
            // Sessions and activities are what the app imports; history, settings and presets stay where they are.
            var shared = JSONObject()
            for name in ["format", "version", "generator", "exportedAt", "categories", "sessions", "activities"] {
                shared[name] = document[name]
            }
            let reading = BztimerFormat.read(JSONValue.object(shared).encoded(.compact), name: name)
            var file = try Self.checked(reading.content, reading.diagnostics)
            file.categories = Categories.custom(in: file.sessions, file.activities ?? [])
            bytes = try file.encoded().bytes
        default:
            throw CommandFailure(.usage, "exports of \(app) cannot be written: it has no format of its own")
        }
    }

    private static func checked<T>(_ content: T?, _ findings: [Diagnostic]) throws(CommandFailure) -> T {
        guard let content else {
            let message = "the merged state cannot be written for the device"
            throw CommandFailure(.badData, message, diagnostics: findings.filter { $0.severity == .error })
        }
        return content
    }

    /// The name of the file: one for each app and for each device that writes into the inbox.
    static func name(_ app: AppID, from device: String) -> String {
        let slug = device.lowercased().utf8.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                ? byte : UInt8(ascii: "-")
        }
        let name = String(decoding: slug, as: UTF8.self).split(separator: "-").joined(separator: "-")
        let end = app == .bztimer ? "bztimer" : "json"
        return "\(beginning(app))\(name.isEmpty ? "device" : name).\(end)"
    }

    /// Whether a name is one of ours, whichever device wrote it; also that of a conflict copy.
    static func isOwn(_ name: String) -> Bool { AppID.reserved.contains { name.hasPrefix(beginning($0)) } }

    private static func beginning(_ app: AppID) -> String {
        switch app {
        case .bztimer: "BZTimer-synced-"
        case .slate: "Slate-synced-"
        case .study: "StudyTimer-synced-"
        case .tracker: "TimeTracker-synced-"
        default: "\(app)-synced-"
        }
    }
}
