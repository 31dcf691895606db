internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import StrictJSON

/// The changes of a restore as text and JSON.
struct DifferenceReport {
    let differences: [SyncedChange.RecordChange]
    let target: Target
    let moment: PastMoment
    /// The record to restore; nil for all.
    var record: RecordName?
    /// The records that the restored ones refer to, and that stay gone.
    var lost: [LostReference] = []
    /// The records whose state only goes forward, and that stay as they are.
    var staying: [RecordName] = []
    /// The open conflicts that the restore decides.
    var decided: [RecordConflict] = []

    /// Returns the conflicts that changes decide: those of the members that change, and of records that go.
    static func decided(_ conflicts: [RecordConflict], by differences: [SyncedChange.RecordChange]) -> [RecordConflict]
    {
        let changes = Dictionary(differences.map { (RecordKey($0.name.collection, $0.name.key), $0) }) { first, _ in
            first
        }
        return conflicts.filter { conflict in
            guard let change = changes[RecordKey(conflict.name.collection, conflict.name.key)] else { return false }
            guard change.action != .deleted, let member = conflict.path.first else { return true }
            return change.members.contains(member) || conflict.members.contains(where: change.members.contains)
        }
    }

    /// A heading, and a line for each record.
    var text: String {
        let words = ValueWords(target, moment.clock)
        let notes = notes(words).map { TerminalText.safe($0) + "\n" }.joined()
        guard !differences.isEmpty else { return Messages.nothingDiffers(target.app.title, "\(moment)") + notes }
        let heading = Messages.differing(target.app.title, "\(moment)", differences.count)
        // The one that was named comes first.
        let ordered = differences.filter(isNamed) + differences.filter { !isNamed($0) }
        let lines = [heading] + ordered.map { line($0, words) }
        return lines.map { TerminalText.safe($0) + "\n" }.joined() + notes
    }

    /// Returns what does not come back, which edits are dated wrongly, what the restore decides, and what stays, a line
    /// each.
    func notes(_ words: ValueWords) -> [String] {
        lost.map { line($0, words) } + datedAhead
            + decided.map { Messages.decidedByRestore(ConflictReport($0, words).heading) }
            + staying.map { name in
                // Only the end of such an entry stays; its other members go back.
                let isPart = differences.contains { $0.name.collection == name.collection && $0.name.key == name.key }
                return Messages.staysAhead(RecordWords.name(name), isEnd: isPart)
            }
    }

    /// A line for each device whose clock was ahead when it made some of the edits.
    private var datedAhead: [String] {
        let edits = differences.compactMap(\.edit).filter(\.isDatedAhead)
        return Dictionary(grouping: edits, by: \.device).sorted { $0.key.id < $1.key.id }.map { device, edits in
            Messages.datedAhead(RecordWords.device(device), edits.count, "\(moment)")
        }
    }

    /// Says what of a restored record does not come back.
    private func line(_ lost: LostReference, _ words: ValueWords) -> String {
        let (record, target) = (RecordWords.name(lost.record), RecordWords.name(lost.target))
        let member = words.name(lost.member, lost.record.collection)
        return Messages.staysGone(target, record, member, isWaiting: lost.isWaiting)
    }

    private func line(_ touched: SyncedChange.RecordChange, _ words: ValueWords) -> String {
        let name = RecordWords.name(touched)
        func edit(_ verb: String) -> String { RecordWords.edit(touched.edit, verb, moment.clock) }
        switch touched.action {
        case .added:
            return "  comes back  \(name)\(isNamed(touched) ? content(touched, words) : "")\(edit("deleted"))"
        case .changed, .kept:
            return "  goes back   \(name)\(RecordWords.members(of: touched, words))\(edit("changed"))"
        case .deleted: return "  goes away   \(name)\(edit("edited"))"
        }
    }

    private func isNamed(_ touched: SyncedChange.RecordChange) -> Bool {
        touched.name.collection == record?.collection && touched.name.key == record?.key
    }

    /// Returns the members of a record that comes back, but for its name, its identifier and when the app noted it.
    private func content(_ touched: SyncedChange.RecordChange, _ words: ValueWords) -> String {
        let told = [touched.name.key, touched.name.title]
        let values = touched.values.compactMap { value -> String? in
            guard let new = value.new, !new.isNull, !told.contains(new.string),
                !["created_at", "updated_at"].contains(value.name)
            else { return nil }
            let collection = touched.name.collection
            return "\(words.name(value.name, collection)) \(words.text(new, of: value, collection))"
        }
        return values.isEmpty ? "" : " (\(values.joined(separator: "; ")))"
    }

    /// Returns the members for programs.
    ///
    /// - Parameter sync: The synchronisation that published the restore; nil where nothing was done.
    func json(_ sync: SyncReport? = nil) -> JSONValue {
        var object = target.json
        object["at"] = .string(moment.moment.description)
        object["record"] = record.map { .object(RecordWords.json($0)) } ?? .null
        object["records"] = .array(differences.map(RecordWords.json))
        object["staysGone"] = .array(
            lost.map { lost in
                [
                    "record": .object(RecordWords.json(lost.record)), "member": .string(lost.member),
                    "target": .object(RecordWords.json(lost.target)), "waits": .bool(lost.isWaiting),
                ]
            }
        )
        object["stays"] = .array(staying.map { .object(RecordWords.json($0)) })
        let words = ValueWords(target, moment.clock)
        object["decides"] = .array(decided.map { ConflictReport($0, words).json })
        object["sync"] = sync.map { .object($0.json) } ?? .null
        object["undoAt"] = RecordWords.json(moment: sync?.outcome.undoMoment)
        return .object(object)
    }
}
