package import StrictJSON

extension RecordRules {
    /// Returns how much of what a delivery changed stands in a later record; nil where a part of it does not.
    ///
    /// A changed value counts as one, a changed text as its changed words. A text stands where the delivered one lies on
    /// the way from the earlier to the present one. The greatest and smallest of all values and facts say nothing, as an
    /// edit changes them besides.
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
        for path in Set(old.cells.keys).union(new.cells.keys) {
            let rule = rule(at: path)
            if [.max, .min, .fact].contains(rule) { continue }
            let values = [old, new, now].map { $0.value(at: path) }
            if values[0] == values[1] { continue }
            if values[1] == values[2], rule != .text {
                sum += 1
            } else if rule == .text, let words = Self.standingWords(values) {
                sum += words
            } else {
                return nil
            }
        }
        for (name, order) in new.lists where !ListOrder.stands(order, since: old.lists[name], in: now.lists[name]) {
            return nil
        }
        return sum
    }

    private func rule(at path: CellPath) -> MergeRule? {
        let member = self[path.field]
        return path.kind == .itemMember ? member?.elements?.record[path.member]?.rule : member?.rule
    }

    /// Returns the number of words that differ between the first two of three texts, if the second lies between the
    /// others.
    private static func standingWords(_ values: [JSONValue?]) -> Int? {
        if values[1] == values[2], values.contains(where: { $0?.string == nil }) { return 1 }
        let texts = values.compactMap { $0 == nil || $0?.isNull == true ? "" : $0?.string }
        guard texts.count == 3, let changed = TextMerge.difference(texts[0], texts[1]),
            let later = TextMerge.difference(texts[1], texts[2]), let all = TextMerge.difference(texts[0], texts[2])
        else { return values[1] == values[2] ? 1 : nil }
        return values[1] == values[2] ? max(1, changed) : changed > 0 && all == changed + later ? changed : nil
    }
}

extension RecordContent {
    /// Returns the value at a path; of an element of a set only whether it is there.
    fileprivate func value(at path: CellPath) -> JSONValue? {
        cells[path].map { path.kind == .setElement ? .null : $0 }
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
