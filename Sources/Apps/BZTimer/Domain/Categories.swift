public import FormatKit

/// The categories of BZ Timer: six that everybody has, and custom ones.
public enum Categories {
    /// The built-in categories, in the order in which the app shows them.
    public static let builtIn = ["Exercise", "Study", "Work", "Household", "Creative", uncategorized]
    /// The built-in category that stands for no other.
    public static let uncategorized = "Uncategorized"

    private static let builtInByKey = Dictionary(
        builtIn.map { (CategoryKey($0), $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the built-in category of that name, in the built-in spelling; nil where there is none.
    ///
    /// ```swift
    /// Categories.builtIn(matching: "EXERCISE")  // "Exercise"
    /// ```
    public static func builtIn(matching name: String) -> String? { builtInByKey[CategoryKey(name)] }

    /// Tells whether two names are the same category.
    public static func areSame(_ left: String, _ right: String) -> Bool { CategoryKey(left) == CategoryKey(right) }

    /// Returns the custom categories that sessions and activities use, in the order of their first use and spelled as
    /// there.
    public static func custom(in sessions: [SessionTemplate], _ activities: [BlockTemplate]) -> [String] {
        custom(among: sessions.flatMap { $0.items.map(\.category) } + activities.map(\.category))
    }

    /// Returns the custom categories among names, each once.
    static func custom(among names: [String?]) -> [String] {
        var seen: Set<CategoryKey> = []
        return names.compactMap { name in
            guard let name, builtIn(matching: name) == nil, seen.insert(CategoryKey(name)).inserted else { return nil }
            return name
        }
    }

    /// Checks the name of a custom category that is to be added or renamed.
    ///
    /// - Throws: `bztimer.needs-pro` on the Free plan; `bztimer.category` where the name is blank, is a built-in one or
    ///   exists.
    public static func check(new name: String, existing: [String], plan: Plan) throws(AppFormatError) {
        guard plan == .pro else { throw AppFormatError(.needsPro, Plan.categoryMessage) }
        guard !name.isBlank else {
            throw AppFormatError(.category, "a category needs a name")
        }
        if let builtIn = builtIn(matching: name) {
            throw AppFormatError(.category, "\"\(builtIn)\" is a built-in category")
        }
        if let same = existing.first(where: { areSame($0, name) }) {
            throw AppFormatError(.category, "there is a category \"\(same)\" already")
        }
    }
}

/// The category that an import gives a record, and why.
public struct CategoryDecision: Sendable, Hashable {
    /// The reasons for which a category is changed or added.
    public enum Reason: Sendable, Hashable {
        /// It is a built-in one in another spelling, or blank, which is Uncategorized.
        case builtInSpelling
        /// It is a custom one of the store in another spelling.
        case customSpelling
        /// It is custom, and the plan is Free.
        case needsPro
        /// It is custom and new, and is added to the custom categories.
        case added
    }

    /// The category to store.
    public var category: String
    /// The reason why it differs from the file's, or what else it causes; nil where it is taken as it is.
    public var reason: Reason?
}

/// Decides on the categories of one import, and remembers the custom ones that it adds.
struct CategoryPolicy {
    let plan: Plan
    private(set) var added: [String] = []
    private var customByKey: [CategoryKey: String]

    init(plan: Plan, customCategories: [String]) {
        self.plan = plan
        customByKey = Dictionary(
            customCategories.map { (CategoryKey($0), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    mutating func decide(_ name: String) -> CategoryDecision {
        // No file can bring a blank name; of a store or a dump it must not become a custom category.
        if name.isBlank { return CategoryDecision(category: Categories.uncategorized, reason: .builtInSpelling) }
        if let builtIn = Categories.builtIn(matching: name) {
            return CategoryDecision(category: builtIn, reason: isSpelled(name, builtIn) ? nil : .builtInSpelling)
        }
        guard plan == .pro else {
            return CategoryDecision(category: Categories.uncategorized, reason: .needsPro)
        }
        if let custom = customByKey[CategoryKey(name)] {
            return CategoryDecision(category: custom, reason: isSpelled(name, custom) ? nil : .customSpelling)
        }
        customByKey[CategoryKey(name)] = name
        added.append(name)
        return CategoryDecision(category: name, reason: .added)
    }

    private func isSpelled(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
