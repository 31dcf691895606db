import StrictJSON

/// The ways in which an export is imported into a database.
public enum SlateImportMode: String, Sendable, Hashable, CaseIterable {
    /// The database holds what the file holds, and nothing else.
    case replace
    /// Adds the file's further rows; of rows that differ the newer one stays.
    case merge
}

/// A part of a database that can be imported by itself.
public enum SlatePart: Sendable, Hashable, CaseIterable {
    /// The keys and values of the app.
    case meta
    /// The rows of a table.
    case table(SlateTable)

    /// All parts, in the order of the export.
    public static var allCases: [SlatePart] { [.meta] + SlateTable.allCases.map(SlatePart.table) }

    /// The name in the database and in the export.
    public var name: String {
        switch self {
        case .meta: SlateMember.meta
        case .table(let table): table.name
        }
    }

    /// Makes the part of that name; nil where there is none.
    public init?(name: String) {
        guard let part = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = part
    }
}

/// The steps of an import: for each part of the database the number of rows, and the first rows one by one.
public struct SlateImportPlan: Sendable, Hashable {
    /// The verbs of an action on a row.
    public enum Verb: String, Sendable, Hashable, CaseIterable {
        /// The file has the row and the database does not.
        case create
        /// The file's row takes the place of the database's.
        case update
        /// The database has the row and the file does not.
        case remove
        /// The rows differ and the database's stays, as it is not older.
        case keep
        /// The database has the same fact under another id.
        case skip
    }

    /// The action on one row.
    public struct Action: Sendable, Hashable {
        /// The verb of the action.
        public let verb: Verb
        /// The primary key, or the key in `meta`.
        public let key: String
        /// The title, where the row has one.
        public let title: String?
        /// The differences or the reason, in words.
        public let reason: String
    }

    /// The actions on one part.
    public struct Part: Sendable, Hashable {
        /// The part.
        public let part: SlatePart
        /// The number of rows for each verb.
        public internal(set) var counts: [Verb: Int] = [:]
        /// The number of rows that are the same on both sides.
        public internal(set) var unchanged = 0
        /// The number of updated rows that are newer in the database than in the file.
        public internal(set) var newer = 0
        /// The first rows of each verb.
        public internal(set) var actions: [Action] = []

        init(_ part: SlatePart) { self.part = part }

        /// Returns the number of rows of a verb.
        public func count(_ verb: Verb) -> Int { counts[verb] ?? 0 }

        /// The number of rows that are written or removed.
        public var changeCount: Int { count(.create) + count(.update) + count(.remove) }
    }

    /// The most rows that are listed for each verb of each part.
    public static let actionLimit = 20

    /// The way in which the export is imported.
    public let mode: SlateImportMode
    /// The parts that are imported, in the order of the export.
    public internal(set) var parts: [Part] = []

    /// Returns the number of rows of a verb.
    public func count(_ verb: Verb) -> Int { parts.reduce(0) { $0 + $1.count(verb) } }
    /// The number of rows that are the same on both sides.
    public var unchanged: Int { parts.reduce(0) { $0 + $1.unchanged } }
    /// The number of rows that are newer in the database and are overwritten.
    public var newer: Int { parts.reduce(0) { $0 + $1.newer } }
    /// True if nothing is written and nothing removed.
    public var isEmpty: Bool { parts.allSatisfy { $0.changeCount == 0 } }
}

extension SlateImportPlan.Part {
    /// Counts a row, and lists it where there is room.
    mutating func add(
        _ verb: SlateImportPlan.Verb,
        _ key: @autoclosure () -> String,
        title: @autoclosure () -> String?,
        _ reason: @autoclosure () -> String
    ) {
        let number = count(verb) + 1
        counts[verb] = number
        guard number <= SlateImportPlan.actionLimit else { return }
        actions.append(SlateImportPlan.Action(verb: verb, key: key(), title: title(), reason: reason()))
    }
}
