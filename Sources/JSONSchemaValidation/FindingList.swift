/// Something that has a place in a document.
protocol Placed {
    var place: Int { get }
    var isWarning: Bool { get }
}

/// The findings that come first in a document, as many as are wanted, and the number of all.
///
/// Where there are too many, warnings are left out before errors.
struct FindingList<Element: Placed> {
    fileprivate(set) var items: [Element] = []
    fileprivate var dropped = 0
    let limit: Int
    /// The last of the findings that were kept when others were left out.
    private var last: (isWarning: Bool, place: Int)?

    init(limit: Int) { self.limit = max(0, limit) }

    /// The number of findings, those that were left out included.
    var count: Int { items.count + dropped }

    mutating func append(_ item: Element) {
        items.append(item)
        // Room for as many again, so that the list is not sorted at each call, and findings that belong together meet.
        if items.count / 2 > max(limit, 100) &+ 32 { trim() }
    }

    mutating func append(contentsOf other: FindingList) {
        dropped += other.dropped
        for item in other.items { append(item) }
    }

    /// Appends findings in another form, which is only made of those that may be kept.
    ///
    /// - Parameters:
    ///   - place: Returns the place that a finding will have.
    ///   - transform: Returns a finding in the list's form.
    mutating func append<T>(contentsOf other: FindingList<T>, at place: (T) -> Int, _ transform: (T) -> Element) {
        dropped += other.dropped
        for item in other.items {
            if limit > 0, comesBeforeLast(item.isWarning, place(item)) {
                append(transform(item))
            } else {
                dropped += 1
            }
        }
    }

    private func comesBeforeLast(_ isWarning: Bool, _ place: Int) -> Bool {
        guard let last else { return true }
        return isWarning == last.isWarning ? place < last.place : last.isWarning
    }

    /// Returns the same findings in another form.
    func map<T>(_ transform: (Element) -> T) -> FindingList<T> {
        var list = FindingList<T>(limit: limit)
        list.items = items.map(transform)
        list.dropped = dropped
        return list
    }

    /// Changes the findings that were appended since there were so many, as far as they are kept in that order.
    mutating func update(from start: Int, _ change: (inout Element) -> Void) {
        for index in min(start, items.count)..<items.count { change(&items[index]) }
    }

    mutating func removeAll(where isSuperfluous: (Element) -> Bool) {
        items.removeAll(where: isSuperfluous)
        last = nil
    }

    /// Returns the findings in document order, no more than the limit.
    mutating func finish() -> [Element] {
        trim()
        return items.sorted { $0.place < $1.place }
    }

    mutating func trim() {
        guard items.count > limit else { return }
        items.sort { $0.isWarning == $1.isWarning ? $0.place < $1.place : $1.isWarning }
        dropped += items.count - min(limit, items.count)
        items.removeLast(items.count - min(limit, items.count))
        last = items.last.map { ($0.isWarning, $0.place) }
    }
}
