internal import BZTimer
internal import CommandSupport
internal import FormatKit

/// A custom category of a store, and what uses it.
struct CustomCategory {
    let name: String
    /// Where it stands in the settings; nil for one that only blocks and activities have.
    let position: Int?

    /// Makes the custom category of that name; only the Pro plan may change it.
    init(_ name: String, in settings: TimerSettings, _ records: BztimerRecords) throws {
        guard settings.plan == .pro else { throw CommandFailure(.needsPro, Plan.categoryMessage) }
        if !settings.customCategories.contains(name), let builtIn = Categories.builtIn(matching: name) {
            throw CommandFailure(.usage, Messages.builtIn(builtIn))
        }
        if let position = settings.customCategories.firstIndex(where: { Categories.areSame($0, name) }) {
            (self.name, self.position) = (settings.customCategories[position], position)
            return
        }
        let unlisted = try Self.unlisted(settings, records)
        guard let used = unlisted.first(where: { Categories.areSame($0, name) }) else {
            let names = (settings.customCategories + unlisted).map { "\"\($0)\"" }.joined(separator: ", ")
            let hint = names.isEmpty ? "there are none" : "there are \(names)"
            throw CommandFailure(.noInput, Messages.noCategory(name, hint))
        }
        (self.name, position) = (used, nil)
    }

    /// The custom categories that blocks and activities have and the settings lack, such as one that another device renamed
    /// while this one added a session with it.
    static func unlisted(_ settings: TimerSettings, _ records: BztimerRecords) throws -> [String] {
        Categories.custom(in: try records.sessions(), try records.activities()).filter { name in
            !Words.isBlank(name) && !settings.customCategories.contains { Categories.areSame($0, name) }
        }
    }

    /// Returns the number of saved activities and blocks that have the category.
    func uses(in records: BztimerRecords) throws -> Int {
        let activities = try records.activities().count { isOf($0.category) }
        return try records.sessions().reduce(activities) { $0 + $1.items.count { isOf($0.category) } }
    }

    /// Gives the activities and blocks that have the category another one.
    func reassign(to other: String, in records: BztimerRecords) throws {
        for var activity in try records.activities() where isOf(activity.category) {
            activity.category = other
            try records.update(activity)
        }
        for var session in try records.sessions() where session.items.contains(where: { isOf($0.category) }) {
            for index in session.items.indices where isOf(session.items[index].category) {
                session.items[index].category = other
            }
            try records.update(session)
        }
    }

    private func isOf(_ category: String?) -> Bool { category.map { Categories.areSame($0, name) } ?? false }
}
