import FormatKit
import RecordStore
public import StrictJSON

/// The differences between two exports, by record and field.
public struct SlateDiff {
    /// The kinds of change to a record from the first export to the second.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Only the second has it.
        case added
        /// Only the first has it.
        case removed
        /// Both have it, and not the same.
        case changed
    }

    /// A field that differs.
    public struct Field: Sendable, Hashable {
        /// The name of the member.
        public let name: String
        /// The first export's value; nil where the member is absent.
        public let old: JSONValue?
        /// The second export's value; nil where the member is absent.
        public let new: JSONValue?
    }

    /// A record that differs.
    public struct Record: Sendable, Hashable {
        /// The kind of change.
        public let kind: Kind
        /// The part that it is in.
        public let part: SlatePart
        /// The primary key, or the key in `meta`.
        public let key: String
        /// The title, where it has one.
        public let title: String?
        /// The fields that differ; of a record that only one side has, all its fields.
        public let fields: [Field]
    }

    private let old: SlateContent
    private let new: SlateContent

    /// Compares two exports.
    public init(_ old: SlateContent, _ new: SlateContent) {
        self.old = old
        self.new = new
    }

    /// Calls `visit` for each record that differs, in the order of the export and of the keys; `exported_at` does not
    /// count.
    ///
    /// - Throws: The error of `visit`.
    public func forEach(_ visit: (Record) throws -> Void) throws {
        for part in SlatePart.allCases {
            switch part {
            case .meta:
                try Self.forEachMember(SlateWriter.ordered(old.meta), SlateWriter.ordered(new.meta), visit)
                try Self.forEachMember(old.unknownMembers, new.unknownMembers, visit)
            case .table(let table): try rows(table, visit)
            }
        }
    }

    /// Calls `visit` for each member that differs; of the app's settings for each key.
    package static func forEachMember(
        _ old: JSONObject,
        _ new: JSONObject,
        _ visit: (Record) throws -> Void
    ) throws {
        let (old, new) = (SlateMember.spread(old), SlateMember.spread(new))
        for name in old.names + new.names.filter({ old[$0] == nil }) where old[name] != new[name] {
            let field = Field(name: "value", old: old[name], new: new[name])
            let kind: Kind = old[name] == nil ? .added : new[name] == nil ? .removed : .changed
            try visit(Record(kind: kind, part: .meta, key: name, title: nil, fields: [field]))
        }
    }

    private func rows(_ table: SlateTable, _ visit: (Record) throws -> Void) throws {
        let (left, right) = (SlateRowTexts(old.cursor(table)), SlateRowTexts(new.cursor(table)))
        try SlateWalk.walk(left, right) { step in
            let empty = Array("{}".utf8)
            let texts = (step == .rightOnly ? empty : try left.text, step == .leftOnly ? empty : try right.text)
            guard texts.0 != texts.1 else { return }
            let difference = SlateDifference(texts.0, texts.1, of: table)
            let kind: Kind = step == .leftOnly ? .removed : step == .rightOnly ? .added : .changed
            let title = difference.title ?? difference.members.first { $0.name == "title" }?.old?.string
            let fields = difference.members.map { Field(name: $0.name, old: $0.old, new: $0.new) }
            let key = step == .rightOnly ? right.name : left.name
            try visit(Record(kind: kind, part: .table(table), key: key, title: title, fields: fields))
        }
    }
}
