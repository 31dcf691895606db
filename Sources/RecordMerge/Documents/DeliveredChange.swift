package import StrictJSON

extension RecordRules {
    /// Returns how much of what a delivery gave stands in a later record; nil where a part of the change does not.
    ///
    /// All that the delivery changed must stand; a text stands where the delivered one lies on the way from the earlier
    /// to the present one. Only what two people do not do alike counts: a string as one, a text as its added words. A
    /// flag, a number or a removal counts nothing. The greatest and smallest of all values and facts say nothing, as an
    /// edit changes them besides; nor do counters, which each device adds to, unless they are as before.
    ///
    /// - Parameters:
    ///   - delivered: The record as it was delivered.
    ///   - before: The record before; nil where there was none.
    ///   - present: The record now.
    package func standing(_ delivered: JSONObject, since before: JSONObject?, in present: JSONObject) -> Int? {
        let shape = RecordShape([])
        let (old, new) = (RecordContent(before ?? [:], self, shape), RecordContent(delivered, self, shape))
        let now = RecordContent(present, self, shape)
        var sum = 0
        var (isSame, isTimed) = (true, false)
        for path in Set(old.cells.keys).union(new.cells.keys) {
            let rule = rule(at: path)
            let values = [old, new, now].map { $0.value(at: path) }
            if values[0] == values[1] { continue }
            isSame = isSame && values[1] == values[2]
            isTimed = isTimed || rule == .max
            if rule == .counter, values[0] == values[2] { return nil }
            if [.max, .min, .fact, .counter].contains(rule) { continue }
            if rule == .text, let words = Self.standingWords(values) {
                sum += words
            } else if values[1] == values[2] {
                sum += values[1]?.says(since: values[0]) == true ? 1 : 0
            } else {
                return nil
            }
        }
        for (name, order) in new.lists where !ListOrder.stands(order, since: old.lists[name], in: now.lists[name]) {
            return nil
        }
        // A person who makes the same change by hand gives it another time. An equal time shows that the record is the
        // delivered one.
        return sum == 0 && isSame && isTimed ? 1 : sum
    }

    private func rule(at path: CellPath) -> MergeRule? {
        let member = self[path.field]
        return path.kind == .itemMember ? member?.elements?.record[path.member]?.rule : member?.rule
    }

    /// Returns the number of words that the second of three texts added to the first, if it lies between the others.
    ///
    /// It is nil also for texts that cannot be compared.
    private static func standingWords(_ values: [JSONValue?]) -> Int? {
        let texts = values.compactMap { $0 == nil || $0?.isNull == true ? "" : $0?.string }
        guard texts.count == 3, let changed = TextMerge.difference(texts[0], texts[1]),
            let later = TextMerge.difference(texts[1], texts[2]), let all = TextMerge.difference(texts[0], texts[2])
        else { return nil }
        let isBetween = all == (changed.removed + later.removed, changed.added + later.added)
        return values[1] == values[2] || changed != (0, 0) && isBetween ? changed.added : nil
    }
}

extension JSONValue {
    /// Returns whether a value has a string that the earlier one has not.
    fileprivate func says(since before: JSONValue?) -> Bool {
        if let object { return object.contains { $0.value.says(since: before?[$0.name]) } }
        if let array { return array.contains { $0.says(since: nil) && before?.array?.contains($0) != true } }
        return string != nil && self != before
    }
}

extension RecordContent {
    /// Returns the value at a path; of an element of a set without its place.
    fileprivate func value(at path: CellPath) -> JSONValue? {
        path.kind == .setElement ? cells[path]?.array?.last : cells[path]
    }
}

extension ListOrder {
    /// Returns whether the elements of three lists are in a delivered order, where that moved any of them.
    fileprivate static func stands(_ delivered: [String], since before: [String]?, in present: [String]?) -> Bool {
        let common = Set(delivered.map(ScalarKey.init)).intersection((before ?? []).map(ScalarKey.init))
            .intersection((present ?? []).map(ScalarKey.init))
        func order(_ names: [String]) -> [ScalarKey] { names.map(ScalarKey.init).filter(common.contains) }
        return order(delivered) == order(before ?? []) || order(delivered) == order(present ?? [])
    }
}
