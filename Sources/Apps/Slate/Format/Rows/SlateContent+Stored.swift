import FormatKit
public import StrictJSON

extension SlateContent {
    /// Returns the content as a database that held nothing else would export it.
    ///
    /// The version in `meta` is that of the tables, which belongs to the database, and all else is as it was.
    ///
    /// - Parameter style: How it is laid out.
    /// - Throws: Nothing: the content and the result are in memory.
    public func encodedAsStored(style: JSONStyle = .indented) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
            var writer = JSONWriter(style: style, sink: sink)
            _ = try SlateWriter.write(StoredContent(content: self), exportedAt: exportedAt, to: &writer)
            try writer.finish()
        }
        return bytes
    }
}

/// Content with the version of the tables of a database.
private struct StoredContent: SlateSource {
    let content: SlateContent

    var meta: JSONObject {
        var meta = content.meta
        meta[SlateMember.version] = .string("\(SlateFormat.currentVersion)")
        return meta
    }

    /// The app's settings come last, by key, as the table has them.
    var unknownMembers: JSONObject {
        var members = content.unknownMembers
        guard let settings = members[SlateStorage.name], SlateStorage.fits(settings) else { return members }
        members[SlateStorage.name] = nil
        var sorted = JSONObject()
        for member in (settings.object ?? [:]).sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            sorted[member.name] = member.value
        }
        members[SlateStorage.name] = .object(sorted)
        return members
    }

    func rows(of table: SlateTable) throws -> any SlateRowStream { content.rows(of: table) }
}
