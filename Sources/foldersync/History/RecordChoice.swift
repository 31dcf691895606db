internal import CommandSupport
internal import DirectorySync

/// Finds the record of the past that a person means.
struct RecordChoice {
    /// A record, and the store that it is in.
    struct Candidate {
        let target: Target
        let replica: Replica
        let record: PastRecord
        /// The title by which it is looked for: the one at that moment, or the present one.
        let title: String

        var id: String { "\(record.name.collection)/\(record.name.key)" }
    }

    private let candidates: [Candidate]
    private let moment: PastMoment

    /// Makes a choice among the records of several stores.
    init(_ stores: [(target: Target, value: (replica: Replica, records: [PastRecord]))], _ moment: PastMoment) {
        self.moment = moment
        candidates = stores.flatMap { target, value in
            value.records.flatMap { record in
                // A record can be named by either of its titles.
                let titles = [record.name.title ?? "", record.presentTitle ?? ""]
                return (titles[0] == titles[1] ? [titles[0]] : titles).map {
                    Candidate(target: target, replica: value.replica, record: record, title: $0)
                }
            }
        }
    }

    /// Returns the record of a name: its key, `collection/key`, or a part of its title then or now; of a collection that
    /// is one record also what reports call it, such as `setting`.
    ///
    /// A whole title comes before a part of one. Where several fit, the only one that a restore would change is meant,
    /// and a session before the entries of the history that have its title.
    ///
    /// - Throws: 64 where several fit, which it lists; 66 where none does.
    func find(_ name: String) throws(CommandFailure) -> Candidate {
        let keyed = unique(candidates.filter { $0.record.name.key == name || $0.id == name })
        if let only = keyed.first, keyed.count == 1 { return only }
        let text = NameText.folded(name)
        let whole = keyed.isEmpty ? unique(candidates.filter { NameText.folded($0.title) == text }) : keyed
        let fitting =
            whole.isEmpty
            ? unique(candidates.filter { NameText.contains($0.title, name) || Self.isOnly($0.record.name, text) })
            : whole
        let own = fitting.filter { entry in
            let isLent = { (other: Candidate) in
                !other.record.borrowsTitle && other.target.store.path == entry.target.store.path
                    && NameText.folded(other.title) == NameText.folded(entry.title)
            }
            return !entry.record.borrowsTitle || !fitting.contains(where: isLent)
        }
        let likely = [own.filter(\.record.differs), fitting.filter(\.record.differs), own, fitting]
            .first { !$0.isEmpty }
        if let only = likely?.first, likely?.count == 1 { return only }
        let choice = NameChoice(
            "record",
            likely ?? unique(candidates),
            id: \.id,
            name: keyed.isEmpty ? \.title : \.id,
            details: details
        )
        return try choice(name)
    }

    /// Returns whether a text names a collection that is one record.
    private static func isOnly(_ record: RecordName, _ text: String) -> Bool {
        record.key.isEmpty && [record.collection, RecordWords.noun(record.collection)].contains(text)
    }

    /// Returns one candidate for each record.
    private func unique(_ candidates: [Candidate]) -> [Candidate] {
        var seen: Set<[String]> = []
        return candidates.filter { seen.insert([$0.target.store.path, $0.id]).inserted }
    }

    /// Returns the details that tell a record from others: its kind and key, a date, and its last change.
    private func details(_ candidate: Candidate) -> String {
        let record = candidate.record
        let words = ValueWords(candidate.target.app, moment.clock)
        let time = (record.then ?? record.now).flatMap { words.time(of: $0, record.name.collection) }
        let verb = record.now == nil ? "deleted" : record.then == nil ? "added" : "changed"
        let edit = RecordWords.edit(record.edit, verb, moment.clock).dropFirst(2)
        let fate = record.differs ? edit.isEmpty ? verb : String(edit) : "as it is now"
        return [RecordWords.noun(record.name.collection), candidate.id, time, fate]
            .compactMap(\.self).joined(separator: ", ")
    }
}
