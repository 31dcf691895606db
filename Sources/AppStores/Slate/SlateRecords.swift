public import AppFormats
internal import GRDB
package import StrictJSON

/// The records of a Slate database within one reading or one transaction.
public struct SlateRecords {
    let database: Database
    let path: String
    /// The version of the tables.
    let version: Int
    let extras: SlateExtras

    init(_ database: Database, version: Int, path: String) throws {
        self.database = database
        self.path = path
        self.version = version
        extras = try SlateExtras(database)
    }

    /// The number of rows of a table; counted in the table itself, whatever its indexes say.
    public func count(_ table: SlateTable) throws -> Int {
        guard table.firstVersion <= version else { return 0 }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table.name) NOT INDEXED") ?? 0
    }

    /// What an import would do.
    public func plan(
        _ content: SlateContent,
        mode: SlateImportMode,
        parts: Set<SlatePart> = Set(SlatePart.allCases),
        progress: @escaping (Int) -> Void = { _ in }
    ) throws -> SlateImportPlan {
        try SlateImportPlanner.plan(content, into: self, mode: mode, parts: parts, progress: progress).plan
    }

    /// The keys of `meta` with text or nothing as their value.
    public func metaTexts() throws -> [String: String] {
        var texts: [String: String] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT key, value FROM meta") {
            if let key: String = row[0], let value: String = row[1] { texts[key] = value }
        }
        return texts
    }
}

extension SlateRecords: SlateImportTarget {
    /// The keys and values of the app.
    package var meta: JSONObject {
        get throws {
            var meta = JSONObject()
            for row in try Row.fetchAll(database, sql: "SELECT key, value FROM meta ORDER BY key") {
                let (key, value): (DatabaseValue, DatabaseValue) = (row[0], row[1])
                guard case .string(let name) = key.storage else {
                    throw StoreError(.value, "a row of meta has no text as its key", path: path)
                }
                switch value.storage {
                case .null: meta[name] = .null
                case .string(let text): meta[name] = .string(text)
                default:
                    let message = "the row \(quoted(name)) of meta has no text as its value"
                    throw StoreError(.value, message, path: path)
                }
            }
            // An export is in the current version, whatever the tables are in.
            meta[SlateMember.version] = .string(String(SlateContent.currentVersion))
            for extra in try extras.values(SlateMember.meta, path: path) where meta[extra.key] == nil {
                meta[extra.key] = extra.value
            }
            return meta
        }
    }

    /// Members of the top level that the format does not know.
    package var unknownMembers: JSONObject {
        get throws { try extras.values("", path: path).first?.value.object ?? JSONObject() }
    }

    /// The rows of a table.
    package func rows(of table: SlateTable) throws -> any SlateRowStream {
        try SlateTableRows(table, of: database, version: version, hasExtras: extras.isThere, path: path)
    }

    /// Whether another row has the values that no two rows of the table may share.
    package func isTaken(_ table: SlateTable, by row: SlateCursor) throws -> Bool {
        let columns = table.columns
        let indices = columns.indices.filter { table.unique.contains(columns[$0].text) }
        let conditions = indices.map { "\"\(columns[$0].text)\" = ?" } + ["\"\(columns[0].text)\" <> ?"]
        let sql = "SELECT 1 FROM \(table.name) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1"
        let texts = (indices + [0]).map { index in
            if case .text(let text) = row.cell(index) { String(decoding: text, as: UTF8.self) } else { "" }
        }
        return try database.cachedStatement(sql: sql).isFound(texts)
    }
}

extension Statement {
    /// Whether the statement gives a row for some texts.
    fileprivate func isFound(_ texts: [String]) throws -> Bool {
        try Row.fetchOne(self, arguments: StatementArguments(texts)) != nil
    }
}
