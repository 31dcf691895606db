internal import CSQLite
internal import SQLiteDatabase

/// The checksum of a row of the state: `row_sum(column, …)` in SQL.
///
/// SQLite does not notice a bit that flips on the disk within a value. Each step is a bijection of the sum before, so
/// every change of one value of up to eight bytes shows. Other changes go unnoticed once in 2^64.
enum RowSum {
    /// Adds the function to a connection.
    static func add(to database: Database) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(
            database.sqliteConnection,
            "row_sum",
            -1,
            flags,
            nil,
            { context, count, values in
                var sum: UInt64 = 0x9E37_79B9_7F4A_7C15
                for index in 0..<Int(count) {
                    guard let value = values?[index] else { continue }
                    RowSum.mix(value, into: &sum)
                }
                sqlite3_result_int64(context, Int64(bitPattern: sum))
            },
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private static func mix(_ value: OpaquePointer, into sum: inout UInt64) {
        let type = sqlite3_value_type(value)
        mix(UInt64(UInt32(bitPattern: type)), &sum)
        switch type {
        case SQLITE_INTEGER: mix(UInt64(bitPattern: sqlite3_value_int64(value)), &sum)
        case SQLITE_NULL: break
        default:
            let start = sqlite3_value_blob(value)
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            mix(UInt64(truncatingIfNeeded: bytes.count), &sum)
            let whole = bytes.count & ~7
            for offset in stride(from: 0, to: whole, by: 8) {
                mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), &sum)
            }
            for byte in bytes[whole...] { mix(UInt64(byte), &sum) }
        }
    }

    /// Adds a word; another word, or another earlier sum, gives another sum.
    @inline(__always)
    private static func mix(_ word: UInt64, _ sum: inout UInt64) {
        sum = (sum ^ word) &* 0xFF51_AFD7_ED55_8CCD
        sum ^= sum >> 32
    }
}
