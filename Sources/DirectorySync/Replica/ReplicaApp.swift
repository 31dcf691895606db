internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The rules of an app for sync, and the titles of its records.
struct ReplicaApp: Sendable {
    let app: AppID
    let schema: MergeSchema
    let domain: MergeDomain
    /// The version of the app's format, as segments name it.
    let schemaVersion: Int
    /// True if the app's own import replaces all records.
    let importReplaces: Bool
    /// The declaration of a declared app; nil for the others.
    let declaration: AppDeclaration?
    /// The collections with members that are never sent, and those with derived ones.
    private let unsent: Set<String>
    private let derived: Set<String>

    /// Makes the rules of a store's app.
    init(_ store: any SyncStore, _ apps: AppStores) throws { try self.init(store.app, store.declaration, apps) }

    /// Makes the rules of an app.
    ///
    /// - Throws: `MergeSchemaError` or another error of the schema, which is a fault of the program.
    init(_ app: AppID, _ declaration: AppDeclaration?, _ apps: AppStores) throws {
        self.app = app
        self.declaration = declaration
        let definition = apps.definition(of: app)
        if let declaration {
            schema = try MergeSchema(reading: declaration.mergeSchema)
            domain = definition?.domain ?? MergeDomain(DeclaredInvariants(declaration.references))
            (schemaVersion, importReplaces) = (declaration.revision, false)
            (unsent, derived) = Self.unsent(schema)
            return
        }
        guard let definition, let first = definition.schemas.first else {
            throw SyncError(.state, "the declaration of the app \"\(app)\" is not there", path: "")
        }
        (domain, schemaVersion) = (definition.domain, definition.schemaVersion)
        importReplaces = definition.importReplaces
        let others = try definition.schemas.dropFirst().map { try JSONDocument(parsing: $0).root.value }
        schema = try MergeSchema(reading: JSONDocument(parsing: first).root.value, others: others)
        (unsent, derived) = Self.unsent(schema)
    }

    private static func unsent(_ schema: MergeSchema) -> (Set<String>, derived: Set<String>) {
        func collections(_ rules: [MergeRule]) -> Set<String> {
            Set(
                ([""] + schema.document.members.map(\.name)).filter { name in
                    schema.record(in: name).members.contains { rules.contains($0.rule) }
                }
            )
        }
        return (collections([.derived, .local]), collections([.derived]))
    }

    /// Returns the title of a record for people.
    func title(_ key: RecordKey, _ object: JSONObject?) -> String? {
        guard let object else { return nil }
        if let title = ownTitle(key, object) { return title }
        for member in ["date", "event_type"] {
            if let text = object[member]?.string, !text.isEmpty { return text }
        }
        return declaration?.readable(key.collection, key.key)
    }

    /// Returns the title that a person gave a record; nil where its kind has none, such as a completion.
    func ownTitle(_ key: RecordKey, _ object: JSONObject) -> String? {
        let declared = declaration?.table(key.collection)?.title ?? []
        let titles = (declared + ["title", "name", "label", Self.borrowedTitle]).lazy.compactMap { object[$0]?.string }
        return titles.first { !$0.isEmpty }
    }

    /// The member that has another record's title.
    private static let borrowedTitle = "sessionName"

    /// Returns whether a record's title is another record's.
    func borrowsTitle(_ key: RecordKey, _ object: JSONObject?) -> Bool {
        guard let object, let title = object[Self.borrowedTitle]?.string else { return false }
        return declaration == nil && ownTitle(key, object) == title
    }

    /// Returns what a person changed a record from, with the value that stands for each member that an invariant shows
    /// otherwise and that does not go with one that was changed: the change then writes it as that person saw it.
    ///
    /// - Parameter record: The record as that person had it.
    func base(_ before: JSONObject, of key: RecordKey, _ record: RecordState, changedTo now: JSONObject) -> JSONObject {
        let alone = schema.resolved(key, record)
        let members = domain.crossed(key, alone)
        guard members.contains(where: { before[$0] != now[$0] }) else { return before }
        var base = before
        for name in members where before[name] == now[name] { base[name] = alone.object[name] }
        return base
    }

    /// Returns whether records of a collection have derived members.
    func hasDerived(_ collection: String) -> Bool { derived.contains(collection) }

    /// Returns a record without the members that are never sent, in resolved form.
    func sent(_ key: RecordKey, _ object: JSONObject) -> JSONObject {
        if let declaration { return declaration.sent(key, object) }
        guard unsent.contains(key.collection) else { return object }
        let rules = schema.record(in: key.collection)
        var sent = JSONObject()
        for member in object {
            let rule = rules[member.name]?.rule
            if rule != .derived, rule != .local { sent[member.name] = member.value }
        }
        return sent
    }
}

extension ReplicaApp {
    /// Returns a store's record with what the devices have in columns that the store lacks: nobody removed that here.
    func completed(_ key: RecordKey, _ object: JSONObject, from known: JSONObject?) -> JSONObject {
        guard let table = declaration?.table(key.collection), let known else { return object }
        var object = object
        for member in known where object[member.name] == nil && table.column(member.name) == nil {
            object[member.name] = member.value
        }
        return object
    }

    /// Records with the counters of declared apps that are back at zero.
    ///
    /// A record lacks what a new row has. Here that is a difference to what was there, and no member that somebody removed.
    func counting(_ ours: RecordSet, from base: RecordSet) -> RecordSet {
        var counters: [String: [String]] = [:]
        for table in declaration?.tables ?? [] {
            let names = table.columns.filter { $0.rule == "counter" && $0.isInitial(0) }.map(\.name)
            if !names.isEmpty { counters[table.name] = names }
        }
        if counters.isEmpty { return ours }
        var ours = ours
        for (key, before) in base.objects {
            for name in counters[key.collection] ?? [] where before[name] != nil {
                if let object = ours.objects[key], object[name] == nil { ours.objects[key]?[name] = 0 }
            }
        }
        return ours
    }
}

extension RecordKey {
    init(_ key: StoreRecordKey) { self.init(key.collection, key.key) }
    var inStore: StoreRecordKey { StoreRecordKey(collection, key) }
}

extension AppDeclaration {
    /// The references of its records.
    var references: [RecordReference] {
        tables.flatMap { table in
            table.columns.filter { !$0.isLocal }.compactMap { column in
                guard let reference = column.reference, let target = self.table(reference.table) else { return nil }
                let action: RecordReference.Action =
                    switch reference.onDelete {
                    case .cascade: .block
                    case .setNull: .setNull
                    case .block, .keep: .none
                    }
                return RecordReference(
                    table.name,
                    column.name,
                    to: target.name,
                    hasTextKey: mappedTarget(of: column) != nil,
                    action,
                    isKept: reference.onDelete == .keep
                )
            }
        }
    }

    /// Returns a record without local members and without default values.
    func sent(_ key: RecordKey, _ object: JSONObject) -> JSONObject {
        guard let table = table(key.collection) else { return object }
        var sent = JSONObject()
        for member in object {
            let column = table.column(member.name)
            let isKey = table.key.contains(member.name)
            let value = isKey ? member.value : column?.canonical(member.value) ?? member.value
            let isLeftOut = column.map { $0.isLocal || !isKey && $0.isInitial(value) }
            if isLeftOut != true { sent[member.name] = value }
        }
        return sent
    }
}
