internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// Finds the record in conflict that a person means.
struct ConflictChoice {
    /// A record in conflict, and a title that it can be named by.
    struct Candidate {
        let target: Target
        let name: RecordName
        let title: String
        /// The title of the record that this one belongs to.
        var owner: String?

        var id: String { "\(name.collection)/\(name.key)" }
    }

    private let candidates: [Candidate]

    /// Makes a choice among the conflicts of several stores.
    init(_ stores: [(target: Target, value: [RecordConflict])]) {
        var seen: Set<[String]> = []
        candidates = stores.flatMap { target, conflicts in
            conflicts.flatMap { conflict in
                Self.titles(of: conflict, among: conflicts).map {
                    Candidate(target: target, name: conflict.name, title: $0, owner: conflict.owner)
                }
            }
        }.filter { seen.insert([$0.target.store.path, $0.id, $0.title]).inserted }
    }

    /// True if there is no conflict at all.
    var isEmpty: Bool { candidates.isEmpty }

    /// The members that titles come from.
    static let titleMembers: Set<String> = ["title", "name", "label", "sessionName"]

    /// Returns the titles of a record: the present one, and those that the choices of its conflicts have.
    private static func titles(of conflict: RecordConflict, among conflicts: [RecordConflict]) -> [String] {
        var titles = [conflict.name.title ?? ""]
        for other in conflicts where other.name == conflict.name {
            let values = other.values.filter { titleMembers.contains($0.name) }
            titles += values.flatMap { [$0.old?.string, $0.new?.string] }.compactMap(\.self)
            let choices = (other.choices + [other.old].compactMap(\.self)).compactMap(\.value)
            guard let member = other.path.last, other.path.count == 1 else { continue }
            // The present title is one of the choices where the title is in conflict, whatever its member is called.
            if titleMembers.contains(member) || choices.contains(where: { $0.string == conflict.name.title }) {
                titles += choices.compactMap(\.string)
            }
        }
        return titles.filter { !$0.isEmpty }
    }

    /// Returns the record of a name: its key, `collection/key`, or a part of one of its titles.
    ///
    /// - Parameter former: The earlier titles of a record, which are looked at where nothing else fits.
    /// - Throws: 64 where several fit, which it lists; 66 where none does, with what there is.
    func find(_ wanted: String, former: (Candidate) throws -> [String]) throws -> Candidate {
        if let keyed = only(candidates.filter { $0.name.key == wanted || $0.id == wanted }) { return keyed }
        if let found = try fitting(wanted, candidates) { return found }
        let earlier = try unique(candidates).flatMap { candidate in
            try former(candidate).map { Candidate(target: candidate.target, name: candidate.name, title: $0) }
        }
        if let found = try fitting(wanted, earlier) { return found }
        let known = unique(candidates).map { RecordWords.name($0.name) }
        throw CommandFailure(.noInput, Messages.noRecordInConflict(wanted, known))
    }

    /// Returns the one record of a name; nil where none has it.
    ///
    /// - Throws: 64 where several have.
    private func fitting(_ wanted: String, _ candidates: [Candidate]) throws(CommandFailure) -> Candidate? {
        let text = NameText.folded(wanted)
        let whole = unique(candidates.filter { NameText.folded($0.title) == text })
        let found = whole.isEmpty ? unique(candidates.filter { NameText.contains($0.title, wanted) }) : whole
        guard found.count > 1 else { return found.first }
        let choice = NameChoice("record", found, id: \.id, name: \.title) {
            "\(RecordWords.noun($0.name.collection))\($0.owner.map { " of \"\($0)\"" } ?? ""), \($0.id)"
        }
        return try choice(wanted)
    }

    private func only(_ candidates: [Candidate]) -> Candidate? {
        let found = unique(candidates)
        return found.count == 1 ? found.first : nil
    }

    /// Returns one candidate for each record.
    private func unique(_ candidates: [Candidate]) -> [Candidate] {
        var seen: Set<[String]> = []
        return candidates.filter { seen.insert([$0.target.store.path, $0.id]).inserted }
    }
}
