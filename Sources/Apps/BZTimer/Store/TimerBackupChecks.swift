internal import FormatKit
internal import GymPulse
internal import StrictJSON

/// The checks of a backup that its schema cannot make: what a store would refuse, or hold and never export.
struct TimerBackupChecks {
    private(set) var findings: [Diagnostic] = []

    /// Checks a document of the current version.
    ///
    /// - Parameter isOfSchema: Whether the document keeps its schema; otherwise only identifiers and the settings are
    ///   checked.
    init(_ root: JSONNode, isOfSchema: Bool) {
        let root = PlacedNode(root)
        if root.part("settings") == nil {
            add(.member, "found no member \"settings\", expected the settings of the store", root.pointer)
        }
        findings += BztimerChecks(backup: root).findings.kept
        // Stores hold presets whose names are too long for the app: a backup takes them along.
        findings += PresetChecks(root.parts("presets"), isList: true, errorsOnly: true).findings.kept.filter {
            $0.code != AppFormatError.Code.presetName.description
        }
        for name in ["sessions", "activities", "presets", "history"] {
            for record in root.parts(name) where record.node["id"]?.string?.utf8.contains(0) == true {
                add(.member, "found an id with U+0000, which no store can hold", record.pointer.appending("id"))
            }
        }
        guard isOfSchema else { return }
        checkSettings(root)
        for session in root.parts("sessions") {
            check(session) { value, pointer throws(AppFormatError) in _ = try SessionTemplate(json: value, at: pointer)
            }
        }
        for activity in root.parts("activities") {
            check(activity) { value, pointer throws(AppFormatError) in _ = try BlockTemplate(json: value, at: pointer) }
        }
        for preset in root.parts("presets") {
            check(preset) { value, pointer throws(AppFormatError) in _ = try Preset(json: value, at: pointer) }
        }
        for entry in root.parts("history") {
            check(entry) { value, pointer throws(AppFormatError) in
                _ = try SessionHistoryEntry(json: value, at: pointer)
            }
        }
    }

    private mutating func checkSettings(_ root: PlacedNode) {
        for name in TimerSettings.names {
            guard let part = root.part("settings")?.part(name) else { continue }
            check(part) { value, pointer throws(AppFormatError) in
                var settings = TimerSettings()
                do throws(AppFormatError) {
                    try settings.set(name, to: value)
                } catch {
                    throw AppFormatError(error.code, error.message, at: pointer)
                }
            }
        }
    }

    /// Adds the fault for which a record cannot be made of a value.
    private mutating func check(
        _ part: PlacedNode,
        _ make: (JSONValue, JSONPointer) throws(AppFormatError) -> Void
    ) {
        do throws(AppFormatError) {
            try make(part.node.value, part.pointer)
        } catch {
            add(error.code, error.message, error.pointer ?? part.pointer)
        }
    }

    private mutating func add(_ code: AppFormatError.Code, _ message: String, _ pointer: JSONPointer) {
        findings.append(Diagnostic(code: code.description, message: message, pointer: pointer))
    }
}
