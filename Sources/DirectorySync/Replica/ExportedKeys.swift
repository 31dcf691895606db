internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The records that the rows of an export are, where a table's rows have a natural key.
///
/// The exporting device gives new rows texts of its own as keys. A row with the natural key of a record is that record.
/// The state notes this, so that the row stays the same record when its name changes.
struct ExportedKeys {
    private let declaration: AppDeclaration
    private let state: ReplicaState

    init(_ declaration: AppDeclaration, _ state: ReplicaState) {
        self.declaration = declaration
        self.state = state
    }

    /// Returns an export with the keys of the records in place of the device's own, in rows and references.
    func document(_ document: JSONValue) throws -> JSONValue {
        var document = document
        var names: [String: [String: String]] = [:]
        for table in declaration.ordered {
            guard let rows = document[table.name]?.array else { continue }
            var objects = rows.compactMap(\.object)
            for column in table.columns {
                guard let target = declaration.mappedTarget(of: column), let known = names[target.name] else {
                    continue
                }
                for index in objects.indices {
                    guard let name = objects[index][column.name]?.string.flatMap({ known[$0] }) else { continue }
                    objects[index][column.name] = .string(name)
                }
            }
            if table.isMapped, !table.naturalKey.isEmpty {
                let found = try keys(of: objects, in: table)
                for index in objects.indices {
                    guard let name = objects[index][table.key[0]]?.string.flatMap({ found[$0] }) else { continue }
                    objects[index][table.key[0]] = .string(name)
                }
                names[table.name] = found
            }
            document[table.name] = .array(objects.map { .object($0) })
        }
        return document
    }

    /// Returns the records' keys of the rows that have another one, by the device's keys.
    private func keys(of rows: [JSONObject], in table: AppDeclaration.Table) throws -> [String: String] {
        let given = rows.compactMap { $0[table.key[0]]?.string }
        var taken = Set(given)
        var found: [String: String] = [:]
        var new: [(key: String, natural: String)] = []
        for row in rows {
            guard let key = row[table.key[0]]?.string else { continue }
            if let known = try state.property(property(table, key)) {
                found[key] = known
                taken.insert(known)
            } else if try state.held(RecordKey(table.name, key)) == nil,
                let natural = declaration.naturalKey(of: row, table)
            {
                new.append((key, natural))
            }
        }
        guard !new.isEmpty else { return found }
        var present: [String: String] = [:]
        try state.forEachRecord(in: table.name) { key, held in
            guard let record = held.record else { return }
            let object = state.schema.resolved(key, record).object
            if let natural = declaration.naturalKey(of: object, table) { present[natural] = key.key }
        }
        for (key, natural) in new {
            let name = try present[natural] ?? (state.held(RecordKey(table.name, natural)) == nil ? natural : key)
            guard name != key, taken.insert(name).inserted else { continue }
            found[key] = name
            try state.transaction { try state.setProperty(property(table, key), name) }
        }
        return found
    }

    private func property(_ table: AppDeclaration.Table, _ key: String) -> StateProperty {
        StateProperty("key \(table.name) \(key)")
    }
}
