internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import JSONSchemaValidation
internal import RecordStore

/// Finds a record by its identifier or name, as a person gives it.
///
/// An identifier wins over a name; of names the exact one wins over one in another case, and that over a part of a name,
/// case and emoji aside. A name that several have names nothing: the message lists their identifiers.
struct Selection<Record> {
    let kind: String
    let records: [Record]
    let id: (Record) -> String
    let name: (Record) -> String
    /// The place of the records.
    var place = "the store"
    /// True if a part of a name names a record, as it does except for deleting.
    var takesParts = true

    func callAsFunction(_ wanted: String) throws(CommandFailure) -> Record {
        if let found = records.first(where: { id($0) == wanted }) { return found }
        var found = records.filter { name($0) == wanted }
        if found.isEmpty { found = records.filter { Categories.areSame(name($0), wanted) } }
        if found.isEmpty, takesParts { found = records.filter { NameText.contains(name($0), wanted) } }
        guard let first = found.first else {
            let nearest = Suggestion.nearest(to: wanted, among: records.map(name))
            if let nearest {
                throw CommandFailure(.noInput, Messages.didYouMean(place, kind, wanted, nearest))
            }
            let names = records.prefix(10).map { "\"\(name($0))\"" }.joined(separator: ", ")
            let hint = records.isEmpty ? "there are none" : "there are \(names)\(records.count > 10 ? ", …" : "")"
            throw CommandFailure(.noInput, Messages.missing(place, kind, wanted, hint))
        }
        guard found.count == 1 else {
            let isOneName = found.allSatisfy { Categories.areSame(name($0), name(first)) }
            let list = found.prefix(10).map { isOneName ? id($0) : "\"\(name($0))\"" }.joined(separator: ", ")
            let way = isOneName ? "name one by its id" : "write more of the name"
            let count = kind.contains(" or ") ? "\(found.count) of them" : Words.count(found.count, kind)
            throw CommandFailure(
                .usage,
                "\"\(wanted)\" names \(count); \(way): \(list)"
            )
        }
        return first
    }
}

extension Selection where Record == SessionTemplate {
    init(_ sessions: [SessionTemplate]) {
        self.init(kind: "session", records: sessions, id: \.id, name: \.name)
    }
}

extension Selection where Record == BlockTemplate {
    init(_ activities: [BlockTemplate]) {
        self.init(kind: "activity", records: activities, id: \.id, name: \.label)
    }
}

/// The identifier and name of a record, also of one that cannot be read.
struct NamedRecord {
    let id: String
    let name: String
}

extension Selection where Record == NamedRecord {
    /// Makes the selection among all records of a kind; a record to delete need not be readable.
    init(_ kind: StoreFault.Kind, _ records: [NamedRecord], _ faults: [StoreFault]) {
        let unreadable = faults.filter { $0.kind == kind }.map { NamedRecord(id: $0.id, name: $0.name ?? $0.id) }
        self.init(kind: kind.rawValue, records: records + unreadable, id: \.id, name: \.name, takesParts: false)
    }
}

extension StoreOption {
    /// Deletes the records of a kind that a person names, after asking.
    ///
    /// - Parameters:
    ///   - list: Gives all records of the kind.
    ///   - delete: Deletes a record by its identifier.
    func delete(
        _ kind: StoreFault.Kind,
        _ wanted: [String],
        _ confirmation: ConfirmationOption,
        among list: (BztimerRecords) throws -> [NamedRecord],
        by delete: (BztimerRecords, String) throws -> Void
    ) throws {
        let store = try writing(mustExist: true)
        let records = try store.read(list)
        let select = Selection(kind, records, store.faults)
        let found = try wanted.map { try select($0) }
        let names = found.map { "\"\($0.name)\"" }.joined(separator: ", ")
        try confirmation.require("Delete \(names)?")
        try store.write { records in
            for record in found { try delete(records, record.id) }
        }
        try StandardOutput.shared.report(TerminalText.safe(Messages.deleted(names)) + "\n")
    }
}

extension CompletionKind {
    /// The names of the sessions in the default store.
    static var sessions: CompletionKind {
        .custom { _, _, _ in
            guard let path = try? StoreArgument.path(nil, option: "--store", default: "bztimer.db"),
                let store = try? BztimerStore(path: path, for: .reading),
                let sessions = try? store.read({ try $0.sessions() })
            else { return [] }
            return sessions.map(\.name)
        }
    }
}
