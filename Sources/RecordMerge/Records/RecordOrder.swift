internal import StrictJSON

/// Returns elements in the order of their keys; elements with equal keys keep their order.
///
/// The first eight bytes, compared as one number, distinguish most keys. Comparing strings takes several times as long.
func inOrder<Element>(_ elements: [Element], _ key: (Element) -> RecordKey) -> [Element] {
    let keys = elements.map(key)
    if !zip(keys, keys.dropFirst()).contains(where: { $1 < $0 }) { return elements }
    var ranks: [ScalarKey: Int] = [:]
    for key in keys where ranks.isEmpty || ranks[ScalarKey(key.collection)] == nil {
        ranks[ScalarKey(key.collection)] = 0
    }
    for (rank, name) in ranks.keys.map(\.string).sorted(by: precedes).enumerated() { ranks[ScalarKey(name)] = rank }
    var places = keys.enumerated().map { index, key in
        Place(rank: ranks[ScalarKey(key.collection)] ?? 0, head: key.key.firstBytes, index: index)
    }
    places.sort { left, right in
        if left.rank != right.rank { return left.rank < right.rank }
        if left.head != right.head { return left.head < right.head }
        let order = compare(keys[left.index].key, keys[right.index].key)
        return order == 0 ? left.index < right.index : order < 0
    }
    return places.map { elements[$0.index] }
}

private struct Place {
    let rank: Int
    let head: UInt64
    let index: Int
}

extension String {
    /// The first eight bytes as a number that sorts alike; zeros stand for missing bytes.
    fileprivate var firstBytes: UInt64 {
        var head: UInt64 = 0
        var count = 0
        for byte in utf8.prefix(8) {
            head = head &<< 8 | UInt64(byte)
            count += 1
        }
        return head &<< UInt64((8 - count) * 8)
    }
}
