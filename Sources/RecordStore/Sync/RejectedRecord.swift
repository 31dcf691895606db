package import FormatKit
internal import SQLiteDatabase
package import StrictJSON

/// The reason why a store rejects a merged record.
public struct RejectedRecord: Error {
    /// The fault in words, such as `the member "title" is 5, expected text`.
    public let reason: String

    /// The reason for a record in an unknown collection, or a second record of a single one.
    package static let noPlace = "the store has no place for it"

    /// Makes a reason in words.
    public init(_ reason: String) { self.reason = reason }

    /// Makes a reason of an error in the record.
    package init(_ error: AppFormatError) {
        let place = error.pointer.map { $0.tokens.isEmpty ? "" : " (at \($0))" } ?? ""
        reason = "\(error.message)\(place)"
    }

    /// Makes a reason for a member whose value its column cannot hold.
    package init(_ member: String, _ value: JSONValue?, expected: String) {
        let found = value.map { String($0.text(.compact).prefix(100)) } ?? "not there"
        reason = "the member \(quoted(member)) is \(found), expected \(expected)"
    }

    /// Makes a value of a record.
    package static func translating<Value>(_ make: () throws(AppFormatError) -> Value) throws(RejectedRecord) -> Value {
        do {
            return try make()
        } catch {
            throw RejectedRecord(error)
        }
    }
}

/// A record that the store rejects, with the reason.
package struct SyncRefusal: Error {
    package let key: StoreRecordKey
    package let reason: String

    /// Returns the error for a caller that needs the record written.
    package func error(_ path: String) -> StoreError {
        let record = key.key.isEmpty ? quoted(key.collection) : "\(quoted(key.key)) of \(key.collection)"
        let message = "the store cannot hold the record \(record): \(reason); nothing was written"
        return StoreError(.rejected, message, path: path)
    }
}

extension SyncEdit {
    /// Runs what writes the edit, and names the record in the errors it throws.
    ///
    /// A store writer uses it around each edit, so that sync can leave out a record the database rejects.
    ///
    /// - Throws: An error that names the record, for a ``RejectedRecord`` and for a constraint of the database.
    public func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as RejectedRecord {
            throw SyncRefusal(key: key, reason: error.reason)
        } catch let error as StoreError where error.code == .value || error.code == .record {
            throw SyncRefusal(key: key, reason: "its row cannot be read: \(error.message)")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            let reason = "the database does not take it (\(error.message ?? "a constraint"))"
            throw SyncRefusal(key: key, reason: reason)
        }
    }
}
