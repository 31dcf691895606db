internal import StrictJSON

/// Finds what changed in the order of a list.
package enum ListOrder {
    /// Returns names with those that an order has in that order; all others keep their places.
    package static func arranged(_ names: [String], like order: [String]) -> [String] {
        let places = places(of: order)
        let slots = names.indices.filter { places[ScalarKey(names[$0])] != nil }
        let sorted = slots.map { names[$0] }.sorted { places[ScalarKey($0)] ?? 0 < places[ScalarKey($1)] ?? 0 }
        var arranged = names
        for (slot, name) in zip(slots, sorted) { arranged[slot] = name }
        return arranged
    }

    /// Returns one order of the elements of several; nil where two of them have the same elements otherwise.
    ///
    /// - Parameter orders: The preferred one first. What the others have besides comes behind its neighbour there.
    static func merged(_ orders: [[String]]) -> [String]? {
        var merged = orders.first ?? []
        for order in orders.dropFirst() {
            let added = additions(order, to: merged)
            merged = (added[nil] ?? []) + merged.flatMap { [$0] + (added[ScalarKey($0)] ?? []) }
        }
        return orders.allSatisfy { isOrder(merged, keeping: $0) } ? merged : nil
    }

    /// Returns the elements that an order has besides known ones, by the known element before them.
    static func additions(_ order: [String], to known: [String]) -> [ScalarKey?: [String]] {
        let known = Set(known.map(ScalarKey.init))
        var added: [ScalarKey?: [String]] = [:]
        var neighbour: ScalarKey?
        for name in order {
            let key = ScalarKey(name)
            if known.contains(key) { neighbour = key } else { added[neighbour, default: []].append(name) }
        }
        return added
    }

    /// Tells whether an order has the elements of an earlier one in that order.
    static func isOrder(_ names: [String], keeping earlier: [String]) -> Bool {
        let places = places(of: names)
        let found = earlier.map { places[ScalarKey($0)] ?? -1 }
        return zip(found, found.dropFirst()).allSatisfy { $0 < $1 }
    }

    private static func places(of names: [String]) -> [ScalarKey: Int] {
        Dictionary(names.enumerated().map { (ScalarKey($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the new positions that bring a list into an order.
    ///
    /// The longest sequence of elements that are in order already stays. So moving one element is one change, however
    /// long the list is.
    ///
    /// - Parameters:
    ///   - names: The elements in the order to reach.
    ///   - positions: The positions of the elements that were there before.
    ///   - stamp: The change. It may continue its writer's runs.
    static func changes(
        _ names: [String],
        _ positions: [ScalarKey: ListPosition],
        _ stamp: Stamp
    ) -> [(name: String, position: ListPosition)] {
        let writer = stamp.dot.writer
        let kept = names.indices.filter { positions[ScalarKey(names[$0])] != nil }
        let places = kept.compactMap { positions[ScalarKey(names[$0])].map { ($0) } }
        let staying = longestIncreasing(places, names: kept.map { names[$0] }).map { kept[$0] }
        var changes: [(String, ListPosition)] = []
        var start = 0
        var left: ListPosition?
        for end in staying + [names.count] {
            let right = end < names.count ? positions[ScalarKey(names[end])] : nil
            if start < end {
                guard let run = ListPosition.run(end - start, between: left, and: right, by: writer) else {
                    return renumbered(names, stamp)
                }
                for (name, position) in zip(names[start..<end], run) { changes.append((name, position)) }
            }
            left = right
            start = end + 1
        }
        return changes
    }

    /// Returns the new positions that bring a list into an order, some of them those of another change.
    ///
    /// - Parameter agreed: The positions of the other change. An element takes one only where this change moves it,
    ///   too, and where no further element has to move for it.
    static func changes(
        _ names: [String],
        _ positions: [ScalarKey: ListPosition],
        agreed: [ScalarKey: ListPosition],
        _ stamp: Stamp
    ) -> [(name: String, position: ListPosition)] {
        let own = changes(names, positions, stamp)
        let moved = Set(own.map { ScalarKey($0.name) })
        let taken = agreed.filter { moved.contains($0.key) && positions[$0.key] != $0.value }
        guard !taken.isEmpty else { return own }
        let others = changes(names, positions.merging(taken) { $1 }, stamp)
        let isPart = others.allSatisfy { moved.contains(ScalarKey($0.name)) && taken[ScalarKey($0.name)] == nil }
        return isPart ? taken.map { ($0.key.string, $0.value) } + others : own
    }

    /// Returns new positions for all elements, for a list without room between neighbours.
    private static func renumbered(_ names: [String], _ stamp: Stamp) -> [(name: String, position: ListPosition)] {
        names.enumerated().map { index, name in
            let step = ListPosition.Step(number: stamp.dot.sequence, writer: stamp.dot.writer, count: index)
            return (name, ListPosition(steps: [step]))
        }
    }

    /// Returns the indices of a longest increasing sequence; the names order equal positions, as in the resolved list.
    private static func longestIncreasing(_ places: [ListPosition], names: [String]) -> [Int] {
        func isBefore(_ left: Int, _ right: Int) -> Bool {
            places[left] == places[right] ? precedes(names[left], names[right]) : places[left] < places[right]
        }
        var tails: [Int] = []
        var previous = Array(repeating: -1, count: places.count)
        for index in places.indices {
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if isBefore(tails[middle], index) { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low < tails.count { tails[low] = index } else { tails.append(index) }
        }
        var sequence: [Int] = []
        var index = tails.last ?? -1
        while index >= 0 {
            sequence.append(index)
            index = previous[index]
        }
        return sequence.reversed()
    }
}
