/// The changes that somebody has seen: for each writer the number of its last one, which includes all before it.
public struct VersionVector: Sendable, Hashable {
    /// The writers with their last numbers, ordered by writer; never 0.
    public private(set) var entries: [Dot] = []

    /// Makes a vector that has seen nothing.
    public init() {}

    /// Makes a vector of entries in order, one for each writer.
    init(ordered entries: [Dot]) { self.entries = entries }

    /// Makes a vector of entries; the greatest of each writer counts.
    public init(_ dots: some Sequence<Dot>) {
        for dot in dots { insert(dot) }
    }

    /// The last number seen of a writer; 0 for none.
    public subscript(writer: WriterID) -> Int {
        let index = index(of: writer)
        return index < entries.count && entries[index].writer == writer ? entries[index].sequence : 0
    }

    /// Returns whether the vector covers a change.
    public func covers(_ dot: Dot) -> Bool { self[dot.writer] >= dot.sequence }

    /// Returns whether the vector covers all that another one covers.
    public func covers(_ other: VersionVector) -> Bool { other.entries.allSatisfy(covers) }

    /// True if the vector covers no change.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds a change and all earlier ones of its writer.
    public mutating func insert(_ dot: Dot) {
        guard dot.sequence > 0 else { return }
        let index = index(of: dot.writer)
        if index < entries.count, entries[index].writer == dot.writer {
            if entries[index].sequence < dot.sequence { entries[index] = dot }
        } else {
            entries.insert(dot, at: index)
        }
    }

    /// Adds the changes that another vector covers.
    public mutating func formUnion(_ other: VersionVector) {
        for dot in other.entries { insert(dot) }
    }

    /// Returns the changes that either vector covers.
    public func union(_ other: VersionVector) -> VersionVector {
        var union = self
        union.formUnion(other)
        return union
    }

    /// Returns the index of a writer's entry, or where it would be.
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
