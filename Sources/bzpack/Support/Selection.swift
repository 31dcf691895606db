internal import BZTimer
internal import CommandSupport
internal import RecordStore

/// Finds a record by its identifier or name, as a person gives it.
///
/// An identifier wins over a name; of names the exact one wins over one in another case. A name that several have names
/// nothing: the message lists their identifiers.
struct Selection<Record> {
    let kind: String
    let records: [Record]
    let id: (Record) -> String
    let name: (Record) -> String
    /// Where the records are.
    var place = "the store"

    func callAsFunction(_ wanted: String) throws(CommandFailure) -> Record {
        if let found = records.first(where: { id($0) == wanted }) { return found }
        var found = records.filter { name($0) == wanted }
        if found.isEmpty { found = records.filter { Categories.areSame(name($0), wanted) } }
        guard let first = found.first else {
            let names = records.prefix(10).map { "\"\(name($0))\"" }.joined(separator: ", ")
            let hint = records.isEmpty ? "there are none" : "there are \(names)\(records.count > 10 ? ", …" : "")"
            throw CommandFailure(.noInput, "\(place) has no \(kind) \"\(wanted)\"; \(hint)")
        }
        guard found.count == 1 else {
            let ids = found.prefix(10).map(id).joined(separator: ", ")
            throw CommandFailure(
                .usage,
                "\(Words.count(found.count, kind)) are called \"\(wanted)\"; name one by its id: \(ids)"
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
    /// All records of a kind; what is to be deleted need not be readable.
    init(_ kind: StoreFault.Kind, _ records: [NamedRecord], _ faults: [StoreFault]) {
        let unreadable = faults.filter { $0.kind == kind }.map { NamedRecord(id: $0.id, name: $0.name ?? $0.id) }
        self.init(kind: kind.rawValue, records: records + unreadable, id: \.id, name: \.name)
    }
}
