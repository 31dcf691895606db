internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

/// The records of a BZ Timer store within one reading or one transaction.
public struct BztimerRecords {
    let database: Database
    let path: String
    /// Takes note of a record that cannot be read.
    let report: (StoreFault) -> Void
    /// Forgets the faults of records that were deleted or replaced; nil stands for all identifiers.
    let forget: (StoreFault.Kind, String?) -> Void

    /// A record with the unknown members of the file that it came in.
    public struct Enveloped<Record> {
        /// The record.
        public var record: Record
        /// Unknown members of the top level of the file that the record came in.
        public var envelope: JSONObject
    }

    /// Makes a typed record, or nil for one that cannot be made, which is reported.
    func make<Record>(
        _ kind: StoreFault.Kind,
        id: String,
        name: String?,
        _ read: () throws -> Record
    ) throws -> Record? {
        let reason: String
        do {
            return try read()
        } catch let error as AppFormatError {
            reason = Self.reason(error)
        } catch let error as StoreError where error.code == .record {
            reason = error.message
        }
        report(StoreFault(kind: kind, id: id, name: name, reason: reason))
        return nil
    }

    static func reason(_ error: AppFormatError) -> String {
        guard let pointer = error.pointer, !pointer.tokens.isEmpty else { return error.message }
        return "\(error.message) (at \(pointer))"
    }

    /// Returns the value of a key column; its text must be one that SQLite can hold.
    func key(_ id: String, of table: String) throws -> DatabaseValue {
        guard !id.utf8.contains(0) else {
            throw StoreError(.record, "an id of the table \(table) contains U+0000", path: path)
        }
        return id.databaseValue
    }

    /// Returns the last position in a table and one more.
    func nextPosition(in table: String) throws -> DatabaseValue {
        (try Int.fetchOne(database, sql: "SELECT coalesce(max(position), 0) + 1 FROM \(table)") ?? 1).databaseValue
    }

    /// Returns the value of the column that holds an object without known members.
    static func json(_ object: JSONObject) -> DatabaseValue {
        object.isEmpty ? .null : RecordLayout.text(of: .object(object)).databaseValue
    }

    /// Runs a statement, which is prepared once.
    func execute(_ sql: String, _ values: [DatabaseValue]) throws {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    }
}
