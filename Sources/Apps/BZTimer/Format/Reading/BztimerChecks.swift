import CivilTime
import FormatKit
import GymPulse
import StrictJSON

/// The checks of a `.bztimer` document that a schema cannot make: identifiers, references, lengths.
struct BztimerChecks {
    private(set) var findings = CheckFindings()

    private let errorsOnly: Bool

    init(_ outline: BztimerOutline, errorsOnly: Bool) {
        self.errorsOnly = errorsOnly
        if outline.version >= 3 {
            checkUnique(outline.sessions, "session")
            checkUnique(outline.activities, "activity")
            checkCategories(outline)
        }
        for session in outline.sessions {
            let items = session.parts("items")
            checkUnique(items, "block")
            checkLength(session, items)
        }
        checkReferences(outline)
        if outline.version >= 3, outline.sessions.isEmpty, outline.activities.isEmpty {
            report(.warning, "bztimer.empty-file", "the file holds no session and no activity", outline.root)
        }
    }

    /// Checks the identifiers in a backup of a store, which tells blocks of one identifier apart by itself.
    init(backup root: PlacedNode) {
        errorsOnly = true
        for (member, what) in [("sessions", "session"), ("activities", "activity"), ("history", "history entry")] {
            checkUnique(root.parts(member), what)
        }
    }

    private mutating func report(_ severity: Diagnostic.Severity, _ code: String, _ message: String, _ part: PlacedNode)
    {
        guard !errorsOnly || severity == .error else { return }
        findings.add(severity, code, message, at: part.pointer)
    }

    private mutating func checkUnique(_ parts: [PlacedNode], _ what: String) {
        var first: [ScalarKey: JSONPointer] = [:]
        for part in parts {
            guard let id = part.part("id"), let text = id.node.string else { continue }
            if let earlier = first[ScalarKey(text)] {
                let message = "the \(what) id \"\(text)\" is used twice, first at \(earlier)"
                report(.error, "bztimer.duplicate-id", message, id)
            } else {
                first[ScalarKey(text)] = id.pointer
            }
        }
    }

    private mutating func checkLength(_ session: PlacedNode, _ items: [PlacedNode]) {
        let name = session.node["name"]?.string ?? ""
        if items.isEmpty, let part = session.part("items"), part.node.kind == .array {
            report(.warning, "bztimer.empty-session", "the session \"\(name)\" has no blocks", part)
        }
        guard let seconds = Self.total(items) else {
            report(.error, "bztimer.session-length", "the session \"\(name)\" is too long to be timed", session)
            return
        }
        if seconds > SessionHistoryEntry.longestDuration {
            let limit = SessionHistoryEntry.longestDuration
            let message = "the session \"\(name)\" lasts \(seconds) s, more than history can hold (\(limit) s)"
            report(.error, "bztimer.session-length", message, session)
        } else if seconds > CivilDay.seconds {
            let message = "the session \"\(name)\" lasts \(seconds) s, more than a day; are its times milliseconds?"
            report(.warning, "bztimer.long-session", message, session)
        }
    }

    /// Returns the length of blocks in seconds; nil where it does not fit.
    ///
    /// A value that is no number is for the schema to report.
    private static func total(_ items: [PlacedNode]) -> Int? {
        var total = 0
        for item in items {
            let timing: BlockTiming
            if item.node["mode"]?.string == "reps" {
                let count = item.node["reps"]?.int ?? 0
                timing = .reps(count: count, secondsEach: item.node["perRepSeconds"]?.int ?? 0)
            } else {
                timing = .duration(seconds: item.node["durationSeconds"]?.int ?? 0)
            }
            guard let seconds = timing.totalSeconds else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(seconds)
            guard !overflow else { return nil }
            total = sum
        }
        return total
    }

    /// Checks that a file that has activities has those that its blocks refer to.
    private mutating func checkReferences(_ outline: BztimerOutline) {
        guard outline.version >= 3, outline.root.node["activities"] != nil else { return }
        let ids = Set(outline.activities.compactMap { $0.node["id"]?.string.map(ScalarKey.init) })
        for block in outline.sessions.flatMap({ $0.parts("items") }) {
            guard let reference = block.part("templateId"), let id = reference.node.string else { continue }
            if !ids.contains(ScalarKey(id)) {
                let message = "no activity of the file has the id \"\(id)\""
                report(.note, "bztimer.template", message, reference)
            }
        }
    }

    private mutating func checkCategories(_ outline: BztimerOutline) {
        guard let list = outline.root.part("categories") else { return }
        let declared = list.node.elements.compactMap(\.string)
        let blocks = outline.sessions.flatMap { $0.parts("items") } + outline.activities
        let used = Categories.custom(among: blocks.map { $0.node["category"]?.string })
        let declaredKeys = Set(declared.map(CategoryKey.init))
        let usedKeys = Set(used.map(CategoryKey.init))
        let missing = used.filter { !declaredKeys.contains(CategoryKey($0)) }
        let idle = declared.filter { !usedKeys.contains(CategoryKey($0)) }
        for (names, fault) in [(missing, "lacks"), (idle, "lists")] where !names.isEmpty {
            let quoted = names.map { "\"\($0)\"" }.joined(separator: ", ")
            let why = fault == "lacks" ? "used by blocks or activities" : "not used as a custom category"
            report(.note, "bztimer.categories", "\"categories\" \(fault) \(quoted), \(why)", list)
        }
    }
}
