import FormatKit
import StrictJSON

/// The members of an export, and of each row, in schema order.
enum SlateOrder {
    /// A document of a version with its known members in schema order, then the unknown ones, then `x-preserved`.
    ///
    /// The rows of a table stay in the order they have.
    static func ordered(_ document: JSONValue, version: Int) -> JSONValue {
        guard var object = document.object else { return document }
        object = object.ordered(SlateMember.top(version))
        if let meta = object[SlateMember.meta]?.object {
            object[SlateMember.meta] = .object(SlateWriter.ordered(meta))
        }
        for table in SlateTable.allCases where table.firstVersion <= version {
            guard let rows = object[table.name]?.array else { continue }
            let columns = table.columns.filter { $0.firstVersion <= version }.map(\.text)
            object[table.name] = .array(rows.map { row in row.object.map { .object($0.ordered(columns)) } ?? row })
        }
        return .object(object)
    }
}
