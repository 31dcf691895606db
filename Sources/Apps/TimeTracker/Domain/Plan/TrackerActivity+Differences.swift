import CivilTime
import FormatKit
package import StrictJSON

extension TrackerActivity {
    /// Makes an activity of another program's record, without an id and a button.
    init(of entry: TimeEntry) {
        self.init(
            id: "",
            name: entry.name,
            start: entry.start,
            end: entry.end,
            color: entry.color,
            unknownMembers: entry.preserved
        )
    }

    /// Tells whether two activities hold the same; offsets from UTC are how a moment is written and do not count.
    func isEqual(to other: TrackerActivity) -> Bool {
        hasSameTimes(as: other) && buttonID == other.buttonID && color == other.color
            && unknownMembers == other.unknownMembers
    }

    /// Tells whether two activities share time; one that is running shares none.
    func overlaps(_ other: TrackerActivity) -> Bool {
        guard let end, let otherEnd = other.end else { return false }
        return start.moment < otherEnd.moment && other.start.moment < end.moment
    }

    /// Tells whether two activities have one name, start and end.
    func hasSameTimes(as other: TrackerActivity) -> Bool {
        name == other.name && start.moment == other.start.moment && end?.moment == other.end?.moment
    }

    // MARK: What another one says

    /// The members that this activity does not have, or with another value, in their order.
    ///
    /// Columns of a report come with those that it has: reports of two programs can tell of one activity. Where another
    /// column, or an amount that somebody entered, would still count, the amount of the report is a member as well.
    func others(of members: JSONObject) -> [JSONObject.Member] {
        let amount = hiddenAmount(of: members).map { [JSONObject.Member(name: Self.amount, value: .string($0))] }
        return memberOthers(of: members) + (amount ?? [])
    }

    /// Returns the amount of a report that does not count beside this activity's own; nil where it counts.
    ///
    /// A zero that the activity's columns have already is nothing new, and neither is the amount that somebody removed.
    private func hiddenAmount(of members: JSONObject) -> String? {
        guard members[Self.amount] == nil, let given = members[Self.columns]?.object else { return nil }
        let own = unknownMembers[Self.columns]?.object ?? JSONObject()
        guard unknownMembers[Self.amount] != nil || own != given,
            let amount = ActivityDetail.amount(inColumnsOf: members)
        else { return nil }
        let isRemoved = unknownMembers[Self.amount]?.string?.isBlank ?? false
        if isRemoved || Self.isZero(amount) {
            var before = JSONObject()
            for column in own where given[column.name] != nil { before[column.name] = column.value }
            if ActivityDetail.amount(inColumnsOf: [Self.columns: .object(before)]) == amount { return nil }
        }
        var both = self
        both.unknownMembers[Self.columns] = .object(Self.joined(own, given))
        let counted = both.detail(.amount) ?? ""
        if Self.isZero(amount), Self.isZero(counted) { return nil }
        return counted == amount || MoneySum.areEqual(counted, amount) ? nil : amount
    }

    /// Tells whether the text of an amount has no digit but zeros; none at all is as much.
    private static func isZero(_ amount: String) -> Bool {
        amount.allSatisfy { !$0.isNumber || $0.wholeNumberValue == 0 }
    }

    /// Returns the columns of two reports, with the values of the second where both have one.
    private static func joined(_ own: JSONObject, _ given: JSONObject) -> JSONObject {
        var both = own
        for column in given { both[column.name] = column.value }
        return both
    }

    /// Returns such members without an amount that only follows from the columns.
    func memberOthers(of members: JSONObject) -> [JSONObject.Member] {
        members.compactMap { member in
            guard member.name != Preserved.memberName, unknownMembers[member.name] != member.value else { return nil }
            guard member.name == Self.columns, let own = unknownMembers[Self.columns]?.object,
                let given = member.value.object
            else { return member }
            let both = Self.joined(own, given)
            return both == own ? nil : JSONObject.Member(name: member.name, value: .object(both))
        }
    }

    /// Returns the names of such members for a person: columns by their own names.
    func fields(of others: [JSONObject.Member]) -> [String] {
        others.flatMap { member in
            guard member.name == Self.columns, let columns = member.value.object else { return [member.name] }
            let own = unknownMembers[Self.columns]?.object
            return columns.filter { own?[$0.name] != $0.value }.map(\.name)
        }
    }

    /// Returns what this activity has and a record leaves empty, though its source has a place for it.
    ///
    /// - Parameter dashes: Whether the dashes of empty cells are something as well.
    func emptied(
        by members: JSONObject,
        _ places: SourcePlaces,
        dashes: Bool = false
    ) -> (members: [String], columns: [String]) {
        guard !places.members.isEmpty || !places.columns.isEmpty else { return ([], []) }
        func lost(_ own: JSONObject?, _ given: JSONObject?, _ names: Set<String>) -> [String] {
            guard let own, !names.isEmpty else { return [] }
            return own.filter { member in
                names.contains(member.name) && given?[member.name] == nil
                    && (!Self.isEmpty(member.value) || dashes && Self.isDash(member.value))
            }
            .map(\.name)
        }
        return (
            lost(unknownMembers, members, places.members),
            lost(unknownMembers[Self.columns]?.object, members[Self.columns]?.object, places.columns)
        )
    }

    private static func isEmpty(_ value: JSONValue) -> Bool {
        isDash(value) || value.isNull || value.string?.isBlank ?? value.array?.isEmpty ?? false
    }

    /// Tells whether a value is the dash that Toggl writes into empty cells and earlier versions kept.
    private static func isDash(_ value: JSONValue) -> Bool { value.string == "-" || value == ["-"] }

    /// Takes what a record says: its members, and nothing where its source has a place that it leaves empty.
    mutating func take(_ members: JSONObject, _ places: SourcePlaces) {
        let gone = emptied(by: members, places, dashes: true)
        let amount = hiddenAmount(of: members)
        for member in memberOthers(of: members) { unknownMembers[member.name] = member.value }
        for name in gone.members { unknownMembers[name] = nil }
        if !gone.columns.isEmpty, var columns = unknownMembers[Self.columns]?.object {
            for name in gone.columns { columns[name] = nil }
            unknownMembers[Self.columns] = columns.isEmpty ? nil : .object(columns)
        }
        guard let amount else { return }
        unknownMembers[Self.amount] = nil
        if detail(.amount) != amount { unknownMembers[Self.amount] = .string(amount) }
    }

    /// Returns this activity with what a record says.
    func taking(_ members: JSONObject, _ places: SourcePlaces) -> TrackerActivity {
        var changed = self
        changed.take(members, places)
        return changed
    }

    /// Adds the members and columns of a record that this activity lacks.
    mutating func add(_ members: JSONObject) {
        for member in members {
            guard let own = unknownMembers[member.name] else {
                unknownMembers[member.name] = member.value
                continue
            }
            guard member.name == Self.columns, var columns = own.object, let given = member.value.object else {
                continue
            }
            for column in given where columns[column.name] == nil { columns[column.name] = column.value }
            unknownMembers[member.name] = .object(columns)
        }
    }

    /// Keeps what another state of this activity has, as far as the source of this one has no place for it.
    mutating func keep(_ other: TrackerActivity, without places: SourcePlaces) {
        if !places.members.contains("buttonId") { buttonID = other.buttonID }
        if !places.members.contains("color") { color = other.color }
        var members = JSONObject()
        for member in other.unknownMembers {
            let isDetail = ActivityDetail(rawValue: member.name).map(other.isInColumn) ?? false
            let hasPlace =
                places.named.contains(member.name)
                || (isDetail ? places.members.contains(member.name) : places.hasOthers)
            if let own = unknownMembers[member.name] {
                members[member.name] = own
            } else if !hasPlace {
                members[member.name] = member.value
            }
        }
        for member in unknownMembers { members[member.name] = member.value }
        unknownMembers = members
        guard !places.hasOthers, places.members.contains("amount"), other.unknownMembers["amount"] == nil,
            let amount = ActivityDetail.amount(inColumnsOf: members)
        else { return }
        // The cell of the amount shows that of the report's columns. An empty cell hides it.
        if members["amount"] == nil {
            unknownMembers["amount"] = ""
        } else if members["amount"]?.string == amount {
            unknownMembers["amount"] = nil
        }
    }

    /// Tells whether the column of a detail, and not that of the other members, has this activity's value.
    private func isInColumn(_ detail: ActivityDetail) -> Bool {
        self.detail(detail).map { detail.value(of: $0) == unknownMembers[detail.rawValue] } ?? false
    }

    /// Keeps the writing of the times of another state of this activity, where this one has the same moments in UTC.
    mutating func keepOffsets(of other: TrackerActivity) {
        if start.offsetMinutes == nil, start.moment == other.start.moment { start = other.start }
        if let end, end.offsetMinutes == nil, end.moment == other.end?.moment { self.end = other.end }
    }

    // MARK: What differs

    /// Returns the names of what another state of this activity has otherwise, and of what it has no more.
    func differences(from other: TrackerActivity) -> (changed: [String], removed: [String]) {
        var (changed, removed): ([String], [String]) = ([], [])
        if name != other.name { changed.append("name") }
        if start.moment != other.start.moment { changed.append("start") }
        if end?.moment != other.end?.moment { changed.append("end") }
        for (what, own, given) in [("button", buttonID, other.buttonID), ("colour", color, other.color)]
        where own != given {
            if given == nil { removed.append(what) } else { changed.append(what) }
        }
        changed += fields(of: memberOthers(of: other.unknownMembers))
        for member in unknownMembers {
            let given = other.unknownMembers[member.name]
            if member.name == Self.columns, let own = member.value.object, given?.object != nil || given == nil {
                removed += own.filter { given?.object?[$0.name] == nil }.map(\.name)
            } else if given == nil {
                removed.append(member.name)
            } else if member.name == Preserved.memberName, given != member.value {
                changed.append(member.name)
            }
        }
        return (changed, removed)
    }

    // MARK: Whose it is

    /// Tells whether the report of a record names another person than this activity's.
    ///
    /// Addresses count more than names. Columns with different headings are not compared.
    package func isOfAnotherPerson(than members: JSONObject) -> Bool {
        guard let own = unknownMembers[Self.columns]?.object, let given = members[Self.columns]?.object, own != given
        else { return false }
        var isOther = false
        for column in given {
            let heading = column.name.lowercased()
            let isAddress = Self.addresses.contains(heading)
            guard isAddress || Self.people.contains(heading), let mine = own[column.name]?.string,
                let theirs = column.value.string, !mine.isBlank, !theirs.isBlank
            else { continue }
            let isSame = mine.lowercased() == theirs.lowercased()
            if isAddress { return !isSame }
            if !isSame { isOther = true }
        }
        return isOther
    }

    /// Tells whether the report of a record names this activity's person with another address.
    func hasOtherAddress(than members: JSONObject) -> Bool {
        guard isOfAnotherPerson(than: members) else { return false }
        let names = Self.texts(in: members, under: Self.people)
        return !names.isEmpty && names == Self.texts(in: unknownMembers, under: Self.people)
    }

    /// Returns the person that the report of a record names, by an address or else by names, in lower case.
    static func person(in members: JSONObject) -> String? { persons(in: members).first }

    /// Returns the texts by which a report may name the person of a record: an address, all names, and each of them.
    static func persons(in members: JSONObject) -> [String] {
        let names = texts(in: members, under: people)
        let all = names.isEmpty ? [] : [names.joined(separator: " ")] + (names.count > 1 ? names : [])
        return texts(in: members, under: addresses).prefix(1) + all
    }

    /// Returns the texts in the columns of a report with some headings, in lower case.
    private static func texts(in members: JSONObject, under headings: Set<String>) -> [String] {
        guard let columns = members[columns]?.object else { return [] }
        return columns.compactMap { column in
            guard headings.contains(column.name.lowercased()), let text = column.value.string, !text.isBlank else {
                return nil
            }
            return text.lowercased()
        }
    }

    /// The headings of the columns in which reports name a person's address.
    private static let addresses: Set<String> = ["email", "e-mail", "email address", "user email"]
    /// The headings of the columns in which reports name a person.
    private static let people: Set<String> = [
        "user", "username", "user name", "member", "team member", "employee", "first name", "last name",
    ]

    /// The member with the columns of a report that are no detail.
    private static var columns: String { "columns" }
    /// The member with the amount that is shown instead of a report's.
    private static var amount: String { ActivityDetail.amount.rawValue }
}
