internal import Foundation
internal import GRDB

/// Bytes in a column.
struct Blob: DatabaseValueConvertible {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var databaseValue: DatabaseValue { Data(bytes).databaseValue }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Blob? {
        guard case .blob(let data) = value.storage else { return nil }
        return Blob(Array(data))
    }
}
