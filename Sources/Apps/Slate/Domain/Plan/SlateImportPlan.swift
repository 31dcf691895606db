import StrictJSON

/// How an export comes into a database.
public enum SlateImportMode: String, Sendable, Hashable, CaseIterable {
    /// The database holds what the file holds, and nothing else.
    case replace
    /// What the file has beyond the database is added, and of rows that differ the newer one stays.
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

    /// The part of that name.
    public init?(name: String) {
        guard let part = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = part
    }
}

/// What an import does, or did: for each part of the database how many rows, and the first of them one by one.
public struct SlateImportPlan: Sendable, Hashable {
    /// What happens to a row.
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

    /// What happens to one row.
    public struct Action: Sendable, Hashable {
        /// What happens.
        public let verb: Verb
        /// The primary key, or the key in `meta`.
        public let key: String
        /// The title, where the row has one.
        public let title: String?
        /// What differs or why it happens, in words.
        public let reason: String
    }

    /// What happens to a part.
    public struct Part: Sendable, Hashable {
        /// The part.
        public let part: SlatePart
        /// How many rows each verb is for.
        public internal(set) var counts: [Verb: Int] = [:]
        /// How many rows are the same on both sides.
        public internal(set) var unchanged = 0
        /// How many of the rows that are updated are newer in the database than in the file.
        public internal(set) var newer = 0
        /// The first rows of each verb.
        public internal(set) var actions: [Action] = []

        init(_ part: SlatePart) { self.part = part }

        /// The number of rows of a verb.
        public func count(_ verb: Verb) -> Int { counts[verb] ?? 0 }

        /// The number of rows that are written or removed.
        public var changeCount: Int { count(.create) + count(.update) + count(.remove) }
    }

    /// The most rows that are listed for each verb of each part.
    public static let actionLimit = 20

    /// What is to be done.
    public let mode: SlateImportMode
    /// The parts that are imported, in the order of the export.
    public internal(set) var parts: [Part] = []

    /// The number of rows of a verb.
    public func count(_ verb: Verb) -> Int { parts.reduce(0) { $0 + $1.count(verb) } }
    /// The number of rows that are the same on both sides.
    public var unchanged: Int { parts.reduce(0) { $0 + $1.unchanged } }
    /// How many rows that are newer in the database are overwritten.
    public var newer: Int { parts.reduce(0) { $0 + $1.newer } }
    /// Whether nothing is written and nothing removed.
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
