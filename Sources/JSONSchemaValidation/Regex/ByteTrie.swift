/// The UTF-8 encodings of a set of code points, as the smallest deterministic automaton over bytes.
///
/// It is made for valid UTF-8: bytes that cannot come are given whatever makes the automaton smaller.
struct ByteTrie {
    /// The target of a code point's last byte.
    static let accept: Int32 = -1

    /// The nodes, each with its edges in ascending order of bytes; the last one is for the first byte.
    private(set) var nodes: [[ByteAutomaton.Edge]] = []

    private var indices: [[ByteAutomaton.Edge]: Int32] = [:]
    private let set: ScalarSet

    /// Makes the automaton of a set.
    init(_ set: ScalarSet) {
        self.set = set
        var first: [ByteAutomaton.Edge] = []
        for range in set.ranges where range.lowerBound < 0x80 {
            let low = UInt8(range.lowerBound)
            first.append(.init(low: low, high: UInt8(min(range.upperBound, 0x7F)), target: Self.accept))
        }
        if let last = set.ranges.last, last.upperBound >= 0x80 {
            for lead in UInt8(0xC2)...0xF4 {
                if let child = node(ofLead: lead) { Self.append(lead, child, to: &first) }
            }
        }
        // No other node has edges for first bytes, so that this one is new and the last.
        _ = intern(first)
        indices = [:]
    }

    private mutating func node(ofLead lead: UInt8) -> Int32? {
        switch lead {
        case ..<0xE0: node(depth: 1, base: UInt32(lead & 0x1F) << 6)
        case 0xE0: node(depth: 2, base: 0, children: 32...63)
        case 0xED: node(depth: 2, base: 0xD000, children: 0...31)
        case ..<0xF0: node(depth: 2, base: UInt32(lead & 0x0F) << 12)
        case 0xF0: node(depth: 3, base: 0, children: 16...63)
        case 0xF4: node(depth: 3, base: 0x100000, children: 0...15)
        default: node(depth: 3, base: UInt32(lead & 0x07) << 18)
        }
    }

    /// Returns the node for the last `depth` bytes of the code points from `base` on, or nil when none is a member.
    ///
    /// - Parameter children: The continuation bytes, without their mark, that can come.
    private mutating func node(depth: Int, base: UInt32, children: ClosedRange<UInt32> = 0...63) -> Int32? {
        let width = UInt32(1) << UInt32(6 * (depth - 1))
        let low = base + children.lowerBound * width
        let high = base + children.upperBound * width + (width - 1)
        let index = set.firstRange(reaching: low)
        guard index < set.ranges.count, set.ranges[index].lowerBound <= high else { return nil }
        if set.ranges[index].lowerBound <= low, set.ranges[index].upperBound >= high { return full(depth) }
        var edges: [ByteAutomaton.Edge] = []
        for byte in UInt32(0)...63 {
            // What cannot come is treated as its nearest neighbour that can.
            let child = min(max(byte, children.lowerBound), children.upperBound)
            let target =
                depth == 1
                ? (set.contains(base + child) ? Self.accept : nil)
                : node(depth: depth - 1, base: base + child * width)
            if let target { Self.append(0x80 | UInt8(byte), target, to: &edges) }
        }
        return intern(edges)
    }

    /// Returns the node that takes any `depth` continuation bytes.
    private mutating func full(_ depth: Int) -> Int32 {
        let target = depth == 1 ? Self.accept : full(depth - 1)
        return intern([.init(low: 0x80, high: 0xBF, target: target)])
    }

    private mutating func intern(_ edges: [ByteAutomaton.Edge]) -> Int32 {
        if let index = indices[edges] { return index }
        let index = Int32(nodes.count)
        nodes.append(edges)
        indices[edges] = index
        return index
    }

    private static func append(_ byte: UInt8, _ target: Int32, to edges: inout [ByteAutomaton.Edge]) {
        if let last = edges.last, last.target == target, last.high + 1 == byte {
            edges[edges.count - 1] = .init(low: last.low, high: byte, target: target)
        } else {
            edges.append(.init(low: byte, high: byte, target: target))
        }
    }
}
