internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import RecordStore
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// The data of Time Tracker or Study Timer on a phone: its AsyncStorage, or Study Timer's own database.
///
/// An element that cannot be used is left out with a warning, and the others are read.
struct PhoneStorage {
    /// A list of records that an app keeps under a key.
    private enum List: String, CaseIterable {
        case activities, buttons, sessions
        case events = "session_history"

        var app: TimeLogStore.Kind { self == .activities || self == .buttons ? .tracker : .study }

        /// The keys under which it may be stored; the first that can be used counts.
        var keys: [String] {
            let names =
                switch self {
                case .buttons: ["buttons", "activityButtons"]
                case .events: ["session_history", "sessionHistory"]
                case .activities, .sessions: [rawValue]
                }
            let prefixes =
                app == .tracker
                ? ["@timetracker/", "@timetracker:", "timetracker:", "@tracker/", "tracker:", ""]
                : ["@studytimer/", "@studytimer:", "studytimer:", "@study/", "study:", ""]
            return prefixes.flatMap { prefix in names.map { prefix + $0 } }
        }
    }

    /// The origin of a list: the key or table, and the place of each of the elements that are used.
    private struct Source {
        let place: String
        var indices: [Int] = []
    }

    /// The app whose data it is.
    let app: TimeLogStore.Kind
    /// The data as a file of that app.
    let text: LogText
    /// The records that were left out, with the reasons.
    let report: FileReport
    /// The origins of the lists, by their names in the file.
    private let sources: [String: Source]

    /// Tells whether a path is a phone's storage: a folder or a database.
    static func isOne(_ path: String) -> Bool {
        if path == "-" { return false }
        if FolderListing.isFolder(path) { return true }
        return (try? InputFile.head(of: path))?.starts(with: "SQLite format 3\0".utf8) ?? false
    }

    /// Reads a storage.
    ///
    /// - Parameters:
    ///   - app: Whose data is wanted; nil takes what is there.
    ///   - repair: Whether elements are used that a repair can correct.
    /// - Throws: 65 where nothing of these apps can be used.
    init(reading path: String, app: TimeLogStore.Kind?, repair: Bool) throws {
        var reader = Reader(path: path, repair: repair)
        if !FolderListing.isFolder(path), app != .tracker, let tables = try StudyPhoneDatabase.read(path) {
            for list in [List.sessions, .events] {
                reader.read(tables[list.rawValue] ?? [], list, place: "\(path)/\(list.rawValue)")
            }
        } else {
            let lists = List.allCases.filter { app == nil || $0.app == app }
            let storage = try AsyncStorage(reading: path, keys: Set(lists.flatMap(\.keys)))
            reader.diagnostics += storage.diagnostics
            for list in lists { reader.read(list, storage.values) }
        }
        reader.checkEvents()
        report = FileReport(file: path, diagnostics: reader.diagnostics, total: reader.diagnostics.count + reader.more)
        let apps = Set(reader.found.keys.filter { !(reader.found[$0] ?? []).isEmpty }.map(\.app))
        guard let only = apps.first, apps.count == 1 else {
            let what =
                apps.isEmpty
                ? "nothing of Time Tracker or Study Timer that can be used; for BZ Timer: bzpack import --from-storage"
                : "data of Time Tracker and of Study Timer; say which with --app"
            let fault = Diagnostic(code: "storage.unrecognized", message: "this holds \(what)", file: path)
            throw CommandFailure(.badData, diagnostics: report.diagnostics + [fault])
        }
        self.app = only
        sources = Dictionary(uniqueKeysWithValues: reader.sources.map { ($0.key.rawValue, $0.value) })
        func list(_ list: List) -> JSONValue { .array(reader.found[list] ?? []) }
        let document: JSONObject =
            only == .tracker
            ? [
                "format": "tracker-export", "version": 2, "buttons": list(.buttons), "activities": list(.activities),
            ] : ["sessions": list(.sessions), "session_history": list(.events)]
        text = LogText(name: path, bytes: JSONValue.object(document).encoded(.compact))
    }

    /// Returns a finding about ``text`` with its place in the storage.
    func placed(_ finding: Diagnostic) -> Diagnostic {
        var finding = finding
        // Nobody has the text, so a line of it says nothing.
        finding.position = nil
        let tokens = finding.pointer?.tokens ?? []
        guard tokens.count > 1, let source = sources[tokens[0]], let index = Int(tokens[1]),
            source.indices.indices.contains(index)
        else { return finding }
        finding.file = source.place
        finding.pointer = JSONPointer(tokens: [String(source.indices[index])] + tokens.dropFirst(2))
        return finding
    }

    private struct Reader {
        let path: String
        let repair: Bool
        var found: [List: [JSONValue]] = [:]
        var sources: [List: Source] = [:]
        /// The lists of which an element is left out.
        private var incomplete: Set<List> = []
        var diagnostics: [Diagnostic] = []
        /// The number of findings beyond those that are kept.
        var more = 0

        init(path: String, repair: Bool) {
            self.path = path
            self.repair = repair
        }

        /// Reads the first of a list's keys that holds something that can be used.
        mutating func read(_ list: List, _ values: [String: StoredValue]) {
            let present = list.keys.filter { values[$0] != nil }
            for key in present {
                guard let elements = elements(values[key] ?? .null, "\(path)/\(key)") else { continue }
                read(elements, list, place: "\(path)/\(key)")
                guard found[list]?.isEmpty == false else { continue }
                let others = present.filter { $0 != key }.map { "\"\($0)\"" }.joined(separator: " and ")
                guard !others.isEmpty else { return }
                let message = "it is stored under \(others) as well; what is under \"\(key)\" is used"
                diagnostics.append(Diagnostic(.warning, code: "storage.several-names", message: message, file: path))
                return
            }
        }

        private mutating func elements(_ value: StoredValue, _ place: String) -> [JSONValue]? {
            func warn(_ message: String) {
                diagnostics.append(Diagnostic(.warning, code: "storage.value", message: message, file: place))
            }
            switch value {
            case .null: return nil
            case .unusable(let reason): warn(reason)
            case .text(let bytes):
                do throws(JSONError) {
                    let root = try JSONDocument(parsing: bytes).root.value
                    if let elements = root.array { return elements }
                    if !root.isNull { warn("expected an array; nothing of it can be used") }
                } catch {
                    var diagnostic = error.diagnostic(file: place)
                    diagnostic.severity = .warning
                    diagnostics.append(diagnostic)
                }
            }
            return nil
        }

        /// Takes the elements that are valid by themselves, in the form of the app's current file.
        ///
        /// Of two elements with one id the second is left out.
        mutating func read(_ elements: [JSONValue], _ list: List, place: String) {
            var first: [[UInt8]: Int] = [:]
            sources[list] = Source(place: place)
            for (index, element) in elements.enumerated() {
                var (value, findings) = list.app == .tracker ? tracker(element, list, index) : study(element, list)
                if let id = value?["id"]?.string, let other = first.updateValue(index, forKey: Array(id.utf8)) {
                    first[Array(id.utf8)] = other
                    let message = "the id \"\(id)\" is used twice, first at /\(other)"
                    let code = list.app == .tracker ? "tracker.duplicate-id" : "study.duplicate-id"
                    let pointer = JSONPointer(tokens: [list.rawValue, "0", "id"])
                    findings = [Diagnostic(code: code, message: message, pointer: pointer)]
                    value = nil
                }
                var severity = Diagnostic.Severity.error
                var ending = "; it is left out"
                if let value {
                    found[list, default: []].append(value)
                    sources[list]?.indices.append(index)
                    severity = .warning
                    ending = ""
                } else {
                    incomplete.insert(list)
                }
                for finding in findings where finding.severity == severity {
                    let tokens = [String(index)] + (finding.pointer?.tokens.dropFirst(2) ?? [])
                    warn(finding.code, finding.message + ending, place, JSONPointer(tokens: tokens))
                }
            }
        }

        /// Adds a warning; of many, the first 100 are kept.
        private mutating func warn(_ code: String, _ message: String, _ place: String, _ pointer: JSONPointer) {
            guard diagnostics.count < 100 else {
                more += 1
                return
            }
            diagnostics.append(Diagnostic(.warning, code: code, message: message, file: place, pointer: pointer))
        }

        /// Warns of events whose sessions are all left out; those of some sessions are found with the whole log.
        mutating func checkEvents() {
            guard incomplete.contains(.sessions), found[.sessions]?.isEmpty ?? true, let source = sources[.events]
            else {
                return
            }
            for (event, index) in zip(found[.events] ?? [], source.indices) {
                let id = event["session_id"]?.string ?? ""
                let message = "no session that can be used has the id \"\(id)\"; the event is kept"
                let pointer = JSONPointer(tokens: [String(index), "session_id"])
                warn("study.dangling-event", message, source.place, pointer)
            }
        }

        /// Reads an element of Time Tracker, whose times are milliseconds or texts as JavaScript writes dates as JSON.
        ///
        /// - Returns: The element, with what was repaired in it; or nil, with its faults.
        private func tracker(_ element: JSONValue, _ list: List, _ index: Int) -> (JSONValue?, [Diagnostic]) {
            var object = element.object ?? JSONObject()
            for name in ["endTime", "duration", "color", "buttonId"] where object[name]?.isNull == true {
                object[name] = nil
            }
            if list == .buttons {
                let defaults: JSONObject = [
                    "isDefault": false, "position": .number(index), "isVisible": true,
                ]
                for member in defaults where object[member.name] == nil { object[member.name] = member.value }
            }
            var document: JSONObject = ["activities": [], "buttons": []]
            if object["startTime"]?.string != nil { document["format"] = "tracker-export" }
            if object["startTime"]?.string != nil { document["version"] = 2 }
            document[list.rawValue] = [element.object == nil ? element : .object(object)]
            let bytes = JSONValue.object(document).encoded(.compact)
            func current(_ export: TrackerExport) -> JSONValue? {
                list == .activities ? export.activities.first?.json : export.buttons.first?.json
            }
            let reading = TrackerFormat.read(bytes)
            if let export = reading.content?.export { return (current(export), []) }
            guard repair else { return (nil, reading.diagnostics) }
            let repaired = TrackerFormat.read(bytes, repair: true)
            guard let export = repaired.content?.export else { return (nil, reading.diagnostics) }
            let faults = Set(reading.diagnostics.filter { $0.severity == .error }.map(\.code))
            return (current(export), repaired.diagnostics.filter { faults.contains($0.code) })
        }

        /// Reads an element of Study Timer; what a repair corrects is corrected, and named, in the whole log.
        private func study(_ element: JSONValue, _ list: List) -> (JSONValue?, [Diagnostic]) {
            var document: JSONObject = ["sessions": [], "session_history": []]
            document[list.rawValue] = [element]
            let reading = StudyFormat.read(JSONValue.object(document).encoded(.compact), repair: repair)
            // In a conditional expression nil would be JSON's null.
            guard reading.isValid else { return (nil, reading.diagnostics) }
            return (element, [])
        }
    }
}
