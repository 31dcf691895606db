import FormatKit
import RecordStore
import StrictJSON

/// Reads the value of one key.
struct StorageValueReader {
    let key: BztimerStorageKey
    /// The name of the value in diagnostics.
    let file: String
    private(set) var activities: [BlockTemplate] = []
    private(set) var sessions: [SessionTemplate] = []
    private(set) var settings: TimerSettings?
    private(set) var history: [SessionHistoryEntry] = []
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var findingCount = 0
    /// The place of the first element with an identifier.
    private var first: [ScalarKey: Int] = [:]

    init(key: BztimerStorageKey, file: String) {
        self.key = key
        self.file = file
    }

    /// Reads a value; what it holds is in the properties.
    mutating func read(_ value: StoredValue) -> BztimerStorageReading.Part {
        var part = BztimerStorageReading.Part(key: key)
        switch value {
        case .null:
            part.state = .null
        case .unusable(let reason):
            part.state = .damaged
            report(Diagnostic(.warning, code: "storage.value", message: reason, file: file))
        case .text(let bytes):
            do throws(JSONError) {
                read(try JSONDocument(parsing: bytes), &part)
            } catch {
                part.state = .damaged
                report(error.diagnostic(file: file))
            }
        }
        return part
    }

    private mutating func read(_ document: JSONDocument, _ part: inout BztimerStorageReading.Part) {
        let root = document.root
        guard root.kind != .null else {
            part.state = .null
            return
        }
        let expected: JSONNode.Kind = key == .settings ? .object : .array
        guard root.kind == expected else {
            part.state = .damaged
            let message = "expected an \(expected == .object ? "object" : "array"); nothing of it can be used"
            report(
                Diagnostic(
                    .warning,
                    code: "storage.value",
                    message: message,
                    file: file,
                    position: root.position,
                    pointer: .root
                )
            )
            return
        }
        part.state = .found
        if key == .settings {
            part.leftOut = readSettings(document)
            part.records = root.count - part.leftOut
            return
        }
        for (index, element) in root.elements.enumerated() {
            let place = Place(document: document, index: index)
            if read(element.value, place) { part.records += 1 } else { part.leftOut += 1 }
        }
        if part.records == 0, part.leftOut > 0 { part.state = .damaged }
    }

    /// The place of an element in its value.
    private struct Place {
        let document: JSONDocument
        let pointer: JSONPointer
        /// The number of the element; nil for a member of the settings.
        var index: Int?

        init(document: JSONDocument, index: Int) {
            self.init(document: document, pointer: JSONPointer(tokens: [String(index)]))
            self.index = index
        }

        init(document: JSONDocument, pointer: JSONPointer) {
            self.document = document
            self.pointer = pointer
        }

        /// Returns the position in the text of the element's part, or of the nearest value around it.
        func position(of part: JSONPointer) -> TextPosition? {
            var pointer = part
            while !pointer.tokens.isEmpty {
                if let node = document.root[pointer] { return node.position }
                pointer = JSONPointer(tokens: pointer.tokens.dropLast())
            }
            return document.root.position
        }
    }

    /// Reads an element; says whether it can be used.
    private mutating func read(_ value: JSONValue, _ place: Place) -> Bool {
        switch key {
        case .blockTemplates: readActivity(value, place)
        case .sessionTemplates: readSession(value, place)
        case .sessionHistory: readEntry(value, place)
        case .settings: false
        }
    }

    private mutating func readActivity(_ value: JSONValue, _ place: Place) -> Bool {
        let reading = StorageElement.read(activity: value)
        let old = reading.isValid ? nil : StorageElement.read(oldBlock: value)
        if let block = old?.content?.sessions.first?.items.first {
            if let activity = StorageElement.activity(block) {
                guard isFirst(activity.id, place) else { return false }
                activities.append(activity)
                return true
            }
            // The first version of the app saved rests and transitions as well, which sessions hold themselves since.
            let message = "\"\(block.label)\" is a \(block.kind), which is no saved activity any more; it is left out"
            let position = place.position(of: place.pointer)
            report(
                Diagnostic(
                    .warning,
                    code: "storage.value",
                    message: message,
                    file: file,
                    position: position,
                    pointer: place.pointer
                )
            )
            return false
        }
        if let activity = reading.content?.activities?.first {
            guard isFirst(activity.id, place) else { return false }
            activities.append(activity)
        }
        return report(reading, at: ["activities", "0"], or: old, at: ["items", "0"], place)
    }

    private mutating func readSession(_ value: JSONValue, _ place: Place) -> Bool {
        let reading = StorageElement.read(session: value)
        let old = reading.isValid ? nil : StorageElement.read(oldSession: value)
        if let session = old?.content?.sessions.first {
            guard isFirst(session.id, place) else { return false }
            sessions.append(session)
            return true
        }
        if let session = reading.content?.sessions.first {
            guard isFirst(session.id, place) else { return false }
            sessions.append(session)
        }
        return report(reading, at: ["sessions", "0"], or: old, at: [], place)
    }

    /// Reports what was found in an element; of two shapes that it is not, in the one that it is nearer to.
    private mutating func report(
        _ reading: ParseResult<BztimerFile>,
        at head: [String],
        or old: ParseResult<BztimerFile>?,
        at oldHead: [String],
        _ place: Place
    ) -> Bool {
        guard let old, old.findingCount < reading.findingCount else { return report(reading, head, place) }
        return report(old, oldHead, place)
    }

    /// Tells whether an element is the first with its identifier, and reports another one.
    private mutating func isFirst(_ id: String, _ place: Place) -> Bool {
        guard let earlier = first[ScalarKey(id)] else {
            first[ScalarKey(id)] = place.index
            return true
        }
        let message = "the id \"\(id)\" is used twice, first at /\(earlier)"
        let pointer = place.pointer.appending("id")
        report(leftOut(Diagnostic(code: "bztimer.duplicate-id", message: message, pointer: pointer), place))
        return false
    }

    private mutating func readEntry(_ value: JSONValue, _ place: Place) -> Bool {
        do throws(AppFormatError) {
            let entry = try SessionHistoryEntry(json: value, at: place.pointer)
            guard isFirst(entry.id, place) else { return false }
            history.append(entry)
            return true
        } catch {
            report(leftOut(error.diagnostic(file: file), place))
            return false
        }
    }

    private mutating func readSettings(_ document: JSONDocument) -> Int {
        var settings = TimerSettings()
        var leftOut = 0
        var rest = document.root.value.object ?? [:]
        for name in TimerSettings.names {
            guard let value = rest.removeValue(forName: name) else { continue }
            do throws(AppFormatError) {
                try settings.set(name, to: value)
            } catch {
                leftOut += 1
                let place = Place(document: document, pointer: JSONPointer(tokens: [name]))
                var diagnostic = error.diagnostic(file: file)
                diagnostic.pointer = place.pointer
                report(self.leftOut(diagnostic, place))
            }
        }
        settings.extra = rest
        self.settings = settings
        return leftOut
    }

    /// Reports what was found in an element, at its places in the value; says whether it can be used.
    private mutating func report(_ reading: ParseResult<BztimerFile>, _ head: [String], _ place: Place) -> Bool {
        for finding in reading.diagnostics where finding.severity != .note {
            var finding = finding
            let tokens = finding.pointer?.tokens ?? []
            finding.pointer = JSONPointer(
                tokens: place.pointer.tokens + (tokens.starts(with: head) ? tokens.dropFirst(head.count) : [])
            )
            if reading.isValid {
                finding.file = file
                finding.position = finding.pointer.flatMap(place.position)
                report(finding)
            } else {
                report(leftOut(finding, place))
            }
        }
        return reading.isValid
    }

    /// Returns the warning for a record that is left out because of a fault, with its place.
    private func leftOut(_ finding: Diagnostic, _ place: Place) -> Diagnostic {
        var finding = finding
        finding.file = file
        finding.position = place.position(of: finding.pointer ?? place.pointer)
        finding.message += "; it is left out"
        return finding
    }

    /// Reports a finding as a warning: whatever cannot be used is left out and the rest is used.
    private mutating func report(_ finding: Diagnostic) {
        findingCount += 1
        guard diagnostics.count < ParseResult<BztimerFile>.findingLimit else { return }
        var finding = finding
        finding.severity = .warning
        diagnostics.append(finding)
    }
}
