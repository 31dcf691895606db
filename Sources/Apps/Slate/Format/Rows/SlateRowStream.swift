package import StrictJSON

/// The rows of a table, one after the other, in the order of their keys' bytes.
package protocol SlateRowStream: AnyObject {
    /// Goes to the next row; false behind the last.
    func next() throws -> Bool
    /// The primary key of the row; good until the next call of `next`.
    var key: UnsafeBufferPointer<UInt8> { get }
    /// Writes the row as an object: all known members in order, then the others.
    func write(to writer: inout JSONWriter) throws
}

/// The rows of a table of a database.
package protocol SlateStoredRows: SlateRowStream {
    /// Tells whether the row surely has the same text as one of a document; where it is false, the texts decide.
    func holds(_ row: SlateCursor) throws -> Bool
}

/// The source of an export: a database, or a document.
package protocol SlateSource {
    /// The keys and values of the app, in any order.
    var meta: JSONObject { get throws }
    /// Members of the top level that the format does not know.
    var unknownMembers: JSONObject { get throws }
    /// Returns the rows of a table.
    func rows(of table: SlateTable) throws -> any SlateRowStream
}

/// Rows with the text of each: compact JSON, by which rows are compared.
package final class SlateRowTexts {
    private let rows: any SlateRowStream
    private let buffer = Buffer()
    private var writer: JSONWriter
    private var isWritten = false

    private final class Buffer {
        var bytes: [UInt8] = []
    }

    package init(_ rows: any SlateRowStream) {
        self.rows = rows
        writer = JSONWriter(style: .compact) { [buffer] in buffer.bytes.append(contentsOf: $0) }
    }

    /// Goes to the next row; false behind the last.
    package func next() throws -> Bool {
        isWritten = false
        return try rows.next()
    }

    /// The primary key of the row.
    package var key: UnsafeBufferPointer<UInt8> { rows.key }

    /// The text of the row.
    package var text: [UInt8] {
        get throws {
            if !isWritten {
                buffer.bytes.removeAll(keepingCapacity: true)
                do {
                    try rows.write(to: &writer)
                } catch {
                    // What was written of the row must not be in front of the next one.
                    writer.beginNextText()
                    throw error
                }
                writer.beginNextText()
                isWritten = true
            }
            return buffer.bytes
        }
    }
}
