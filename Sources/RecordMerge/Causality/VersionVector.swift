/// What has been seen: for each writer the number of its last change, all before it included.
public struct VersionVector: Sendable, Hashable {
    /// The writers with their last numbers, ordered by writer; never 0.
    public private(set) var entries: [Dot] = []

    /// Nothing seen.
    public init() {}

    /// A vector of entries that are in order, one of each writer.
    init(ordered entries: [Dot]) { self.entries = entries }

    /// A vector of entries, of which the greatest of each writer counts.
    public init(_ dots: some Sequence<Dot>) {
        for dot in dots { insert(dot) }
    }

    /// The last number seen of a writer; 0 for none.
    public subscript(writer: WriterID) -> Int {
        let index = index(of: writer)
        return index < entries.count && entries[index].writer == writer ? entries[index].sequence : 0
    }

    /// Whether a change has been seen.
    public func covers(_ dot: Dot) -> Bool { self[dot.writer] >= dot.sequence }

    /// Whether all that the other has seen has been seen.
    public func covers(_ other: VersionVector) -> Bool { other.entries.allSatisfy(covers) }

    /// Whether nothing has been seen.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds a change and all of its writer's before it.
    public mutating func insert(_ dot: Dot) {
        guard dot.sequence > 0 else { return }
        let index = index(of: dot.writer)
        if index < entries.count, entries[index].writer == dot.writer {
            if entries[index].sequence < dot.sequence { entries[index] = dot }
        } else {
            entries.insert(dot, at: index)
        }
    }

    /// Adds what another has seen.
    public mutating func formUnion(_ other: VersionVector) {
        for dot in other.entries { insert(dot) }
    }

    /// What either has seen.
    public func union(_ other: VersionVector) -> VersionVector {
        var union = self
        union.formUnion(other)
        return union
    }

    /// The place of a writer, or where it would be.
    private func index(of writer: WriterID) -> Int {
        if entries.count < 8 { return entries.firstIndex { !($0.writer < writer) } ?? entries.count }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].writer < writer { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
