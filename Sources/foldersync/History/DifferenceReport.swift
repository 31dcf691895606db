internal import CivilTime
internal import CommandSupport
internal import DirectorySync
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

    /// A heading, and a line for each record.
    var text: String {
        guard !differences.isEmpty else { return Messages.nothingDiffers(target.app.title, "\(moment)") }
        let words = ValueWords(target, moment.clock)
        let heading = Messages.differing(target.app.title, "\(moment)", differences.count)
        // The one that was named comes first.
        let ordered = differences.filter(isNamed) + differences.filter { !isNamed($0) }
        let lines = [heading] + ordered.map { line($0, words) } + lost.map { line($0, words) }
        return lines.map { TerminalText.safe($0) + "\n" }.joined()
    }

    /// Says what of a restored record does not come back.
    private func line(_ lost: LostReference, _ words: ValueWords) -> String {
        let (record, target) = (RecordWords.name(lost.record), RecordWords.name(lost.target))
        let member = words.name(lost.member, lost.record.collection)
        return Messages.staysGone(target, record, member, isWaiting: lost.isWaiting)
    }

    private func line(_ touched: SyncedChange.RecordChange, _ words: ValueWords) -> String {
        let name = RecordWords.name(touched.name)
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

    /// The members of a record that comes back, but for its name, its identifier and when the app noted it.
    private func content(_ touched: SyncedChange.RecordChange, _ words: ValueWords) -> String {
        let told = [touched.name.key, touched.name.title]
        let values = touched.values.compactMap { value -> String? in
            guard let new = value.new, !new.isNull, !told.contains(new.string),
                !["created_at", "updated_at"].contains(value.name)
            else { return nil }
            let collection = touched.name.collection
            return "\(words.name(value.name, collection)) \(words.text(new, collection, [value.name]))"
        }
        return values.isEmpty ? "" : " (\(values.joined(separator: "; ")))"
    }

    /// The members for programs.
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
        object["sync"] = sync.map { .object($0.json) } ?? .null
        object["undoAt"] = RecordWords.json(moment: sync?.outcome.undoMoment)
        return .object(object)
    }
}
