internal import BZTimer
internal import CivilTime
internal import FormatKit
internal import GymPulse
internal import RecordStore
internal import Slate
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// An export that a device left, checked and in the current version of its format.
struct InboxDocument {
    let app: AppID
    let value: JSONValue
    /// When the device says that it was made.
    let exportedAt: Timestamp?
    /// Whether it has all that the device has, so that what is missing was deleted.
    let isWhole: Bool
    /// What is to be looked at, though it can be used.
    var warnings: [Diagnostic] = []
}

/// What a file in an inbox is.
enum InboxReading {
    /// An export that can be used.
    case document(InboxDocument)
    /// One that is damaged, truncated or against its format's rules; it may yet become better.
    case unusable([Diagnostic])
    /// One of a newer version, which a newer program will understand.
    case newer([Diagnostic])
    /// Nothing that concerns any app.
    case foreign

    /// Tells by the content, and reads with the reader of the format.
    init(_ bytes: [UInt8], name: String) throws {
        let identity: FormatIdentity
        do throws(JSONError) {
            identity = FormatIdentity.detect(try JSONDocument(parsing: bytes).root)
        } catch {
            self = .unusable([error.diagnostic(file: name)])
            return
        }
        switch identity {
        // Apps leave behind what their own checks find, such as the plan of a task that was deleted. That is mended, with a
        // warning for each, and keeps no device from taking part.
        case .slate: self = try Self.slate(SlateFormat.read(bytes, name: name, repair: true))
        case .tracker: self = try Self.tracker(TrackerFormat.read(bytes, name: name, repair: true))
        case .study: self = try Self.study(StudyFormat.read(bytes, name: name, repair: true))
        case .bztimer: self = try Self.sessions(BztimerFormat.read(bytes, name: name))
        case .gympulse: self = try Self.presets(PresetFormat.read(bytes, name: name))
        default: self = .foreign
        }
    }

    private static func slate(_ reading: ParseResult<SlateContent>) throws -> InboxReading {
        guard let content = reading.content else { return refused(reading.diagnostics) }
        let value = try JSONDocument(parsing: try content.encoded(style: .compact)).root.value
        return document(.slate, value, content.exportedAt, isWhole: true, reading.diagnostics)
    }

    private static func tracker(_ reading: ParseResult<TrackerContent>) throws -> InboxReading {
        guard let content = reading.content else { return refused(reading.diagnostics) }
        var value = try JSONDocument(parsing: try content.encoded(style: .compact).bytes).root.value
        // The order of buttons is that of their positions, wherever they stand in the file.
        let buttons = (value["buttons"]?.array ?? []).enumerated().sorted { left, right in
            let places = (left.element["position"]?.int ?? 0, right.element["position"]?.int ?? 0)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        value["buttons"] = .array(buttons.map(\.element))
        return document(.tracker, value, content.exportedAt, isWhole: true, reading.diagnostics)
    }

    private static func study(_ reading: ParseResult<StudyLog>) throws -> InboxReading {
        guard let log = reading.content else { return refused(reading.diagnostics) }
        let value = try JSONDocument(parsing: try log.encoded(style: .compact).bytes).root.value
        return document(.study, value, log.exportedAt, isWhole: true, reading.diagnostics)
    }

    /// A `.bztimer` file has the sessions that somebody chose; of the others it says nothing.
    private static func sessions(_ reading: ParseResult<BztimerFile>) throws -> InboxReading {
        guard let file = reading.content else { return refused(reading.diagnostics) }
        let value = try reading.migrated(to: BztimerFormat.currentVersion).value
        return document(.bztimer, value, file.exportedAt, isWhole: false, reading.diagnostics)
    }

    private static func presets(_ reading: ParseResult<PresetFile>) throws -> InboxReading {
        guard reading.isValid else { return refused(reading.diagnostics) }
        let value = try reading.migrated(to: PresetFormat.currentVersion).value
        return document(.bztimer, value, nil, isWhole: false, reading.diagnostics)
    }

    private static func document(
        _ app: AppID,
        _ value: JSONValue,
        _ exportedAt: String?,
        isWhole: Bool,
        _ findings: [Diagnostic]
    ) -> InboxReading {
        .document(
            InboxDocument(
                app: app,
                value: value,
                exportedAt: exportedAt.flatMap { Timestamp($0) },
                isWhole: isWhole,
                warnings: findings.filter { $0.severity == .warning }
            )
        )
    }

    private static func refused(_ findings: [Diagnostic]) -> InboxReading {
        let isNewer = findings.contains { $0.code == AppFormatError.Code.versionNewer.description }
        return isNewer ? .newer(findings) : .unusable(findings)
    }
}
