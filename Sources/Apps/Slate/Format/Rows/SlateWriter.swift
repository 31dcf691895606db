import FormatKit
public import StrictJSON

/// Writes exports of Slate.
package enum SlateWriter {
    /// Writes an export of the current version, row by row.
    ///
    /// - Parameters:
    ///   - source: The rows.
    ///   - exportedAt: The moment of the export, RFC 3339 with its offset.
    ///   - writer: Takes the text; the caller finishes it.
    ///   - progress: Called now and then with the number of rows written so far.
    /// - Returns: The number of rows of each table.
    package static func write(
        _ source: some SlateSource,
        exportedAt: String,
        to writer: inout JSONWriter,
        progress: (Int) -> Void = { _ in }
    ) throws -> [SlateTable: Int] {
        var counts: [SlateTable: Int] = [:]
        var total = 0
        writer.beginObject()
        writer.name(plain: "schema_version")
        writer.number(SlateFormat.currentVersion)
        writer.name(plain: "exported_at")
        writer.string(exportedAt)
        writer.name(plain: "meta")
        writer.value(.object(ordered(try source.meta)))
        for table in SlateTable.allCases {
            writer.name(table.name)
            writer.beginArray()
            let rows = try source.rows(of: table)
            var count = 0
            while try rows.next() {
                try rows.write(to: &writer)
                count += 1
                if count & 0x3FFF == 0 { progress(total + count) }
            }
            writer.endArray()
            counts[table] = count
            total += count
        }
        for member in try source.unknownMembers {
            writer.name(member.name)
            writer.value(member.value)
        }
        writer.endObject()
        progress(total)
        return counts
    }

    /// Returns the keys that the app is known to use first, the others by their bytes.
    package static func ordered(_ meta: JSONObject) -> JSONObject {
        var sorted = JSONObject()
        for member in meta.members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            sorted.append(unique: member.name, member.value)
        }
        sorted.sort(first: SlateMember.metaKeys)
        return sorted
    }
}

extension SlateContent {
    /// Returns the content as an export: the same content gives the same bytes.
    ///
    /// - Parameters:
    ///   - exportedAt: The moment of the export; by default that of the file which the content was read from.
    ///   - style: How it is laid out.
    /// - Throws: Nothing: the content and the result are in memory.
    public func encoded(exportedAt: String? = nil, style: JSONStyle = .indented) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
            var writer = JSONWriter(style: style, sink: sink)
            _ = try SlateWriter.write(self, exportedAt: exportedAt ?? self.exportedAt, to: &writer)
            try writer.finish()
        }
        return bytes
    }
}
