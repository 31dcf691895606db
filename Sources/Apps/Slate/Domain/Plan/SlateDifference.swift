import CivilTime
import FormatKit
import RecordStore
import StrictJSON

/// Two rows with one key that are not the same.
struct SlateDifference {
    /// The order of two rows by age.
    enum Order {
        case newIsNewer, oldIsNewer, unknown
    }

    /// The title of the second row, where the table has titles.
    let title: String?
    /// The title of the first.
    let oldTitle: String?
    /// The order of the rows by age.
    let order: Order
    /// Each member that differs, with what it was and what it is; absent members are nil.
    let members: [(name: String, old: JSONValue?, new: JSONValue?)]
    private let stamp: String?

    /// Compares two rows.
    ///
    /// - Parameter unsaid: The columns that the second row says nothing of where they are null.
    init(_ old: [UInt8], _ new: [UInt8], of table: SlateTable, unsaid: [SlateColumn] = []) {
        let old = Self.object(old)
        let new = Self.object(new)
        title = new["title"]?.string
        oldTitle = old["title"]?.string
        stamp = table.stamp
        let silent = unsaid.map(\.text).filter { new[$0]?.isNull ?? true }
        let names = (old.names + new.names.filter { old[$0] == nil }).filter { !silent.contains($0) }
        members = names.compactMap { old[$0] == new[$0] ? nil : ($0, old[$0], new[$0]) }
        let times = [old, new].map { row in table.stamp.flatMap { row[$0]?.string }.flatMap(Timestamp.init) }
        if let oldTime = times[0], let newTime = times[1], oldTime != newTime {
            order = oldTime < newTime ? .newIsNewer : .oldIsNewer
        } else {
            order = .unknown
        }
    }

    private static func object(_ row: [UInt8]) -> JSONObject {
        (try? JSONDocument(parsing: row))?.root.value.object ?? JSONObject()
    }

    /// The names of what differs.
    var names: String { members.map(\.name).joined(separator: ", ") }

    var updateReason: String {
        switch order {
        case .oldIsNewer: "\(names) (the database's row is newer)"
        case .newIsNewer: "\(names) (the file's row is newer)"
        case .unknown: names
        }
    }

    var keepReason: String {
        guard order == .unknown else { return "\(names) differ, the database's row is newer" }
        guard let stamp else { return "\(names) differ, and neither row is known to be newer" }
        return "\(names) differ, both rows have the same \(stamp)"
    }
}
