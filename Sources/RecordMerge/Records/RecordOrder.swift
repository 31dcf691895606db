internal import StrictJSON

extension Dictionary<RecordKey, RecordState> {
    /// The records in the order of their keys.
    ///
    /// Most keys are told apart by their first eight bytes, as one number: to compare strings takes several times as
    /// long.
    var inOrder: [Element] {
        let elements = Array(self)
        let names = Set(elements.map { ScalarKey($0.key.collection) }).map(\.string).sorted(by: precedes)
        var ranks: [ScalarKey: Int] = [:]
        for (rank, name) in names.enumerated() { ranks[ScalarKey(name)] = rank }
        var places = elements.enumerated().map { index, element in
            let rank = ranks[ScalarKey(element.key.collection)] ?? 0
            return Place(rank: rank, head: element.key.key.firstBytes, index: index)
        }
        places.sort { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            if left.head != right.head { return left.head < right.head }
            return precedes(elements[left.index].key.key, elements[right.index].key.key)
        }
        return places.map { elements[$0.index] }
    }
}

private struct Place {
    let rank: Int
    let head: UInt64
    let index: Int
}

extension String {
    /// The first eight bytes as a number that orders as they do; where there are fewer, zeros stand for them.
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
