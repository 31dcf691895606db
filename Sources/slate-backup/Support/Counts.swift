internal import Slate
internal import StrictJSON

extension SlateContent {
    /// The rows of each table, in the order of the export.
    var counts: [(table: String, rows: Int)] { SlateTable.allCases.map { ($0.name, count($0)) } }
}

extension Sequence<(table: String, rows: Int)> {
    /// The counts as an object.
    var json: JSONValue {
        var object = JSONObject()
        for count in self { object[count.table] = .number(count.rows) }
        return .object(object)
    }

    /// The rows of all tables.
    var total: Int { reduce(0) { $0 + $1.rows } }
}
