/// A session as text that a person types, mails and reads: one block on each line.
///
/// ```
/// name: Tabata
/// tags: cardio
/// days: Mon Thu
/// transition: Get ready 10 s
/// 8 x (
///   Work 20 s [Exercise]
///   Rest 10 s
/// )
/// Squats 12 x 3 s -- keep the back straight
/// ```
///
/// Blocks on one line are separated by ` / `. A block named Rest is a rest; `rest:`, `transition:` and `activity:` say
/// what a block is. Identifiers and members that the app does not know are not in the text.
public struct SessionText: Sendable, Hashable {
    /// A block of a text.
    public struct Block: Sendable, Hashable {
        /// The label that the app shows while the block runs.
        public var label: String
        /// The kind of the block.
        public var kind: BlockKind
        /// The length of the block.
        public var timing: BlockTiming
        /// Its category; nil for none.
        public var category: String?
        /// Display color.
        public var color: String?
        /// Display icon.
        public var icon: String?
        /// Free text.
        public var notes: String?

        /// Makes a block.
        public init(label: String, kind: BlockKind, timing: BlockTiming) {
            self.label = label
            self.kind = kind
            self.timing = timing
        }

        /// Takes the content of a session's block.
        public init(_ block: BlockInstance) {
            self.init(label: block.label, kind: block.kind, timing: block.timing)
            category = block.category
            color = block.color
            icon = block.icon
            notes = block.notes
        }

        /// Writes the content over that of a session's block.
        func write(to block: inout BlockInstance) {
            block.label = label
            block.kind = kind
            block.timing = timing
            block.category = category
            block.color = color
            block.icon = icon
            block.notes = notes
        }
    }

    /// The most blocks of a session, repetitions counted.
    public static let mostBlocks = 10_000

    /// The session's name; nil where the text has none.
    public var name: String?
    /// Free words; nil where the text has no such line.
    public var tags: [String]?
    /// ISO weekdays; nil where the text has no such line.
    public var days: [Int]?
    /// The blocks, repetitions written out.
    public var blocks: [Block] = []

    static let dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// Takes the content of a session.
    public init(_ session: SessionTemplate) {
        name = session.name
        tags = session.tags
        days = session.scheduledDaysOfWeek
        blocks = session.items.map(Block.init)
    }

    /// Reads a text.
    ///
    /// - Throws: ``SessionTextError`` with the place, what was found and what was expected.
    public init(parsing text: String) throws(SessionTextError) {
        var parser = SessionTextParser(text)
        try parser.parse()
        name = parser.name
        tags = parser.tags
        days = parser.days
        blocks = parser.blocks
    }

    /// Makes a session of the text, or changes one by it: blocks that stay keep their identifiers and unknown members.
    ///
    /// - Parameters:
    ///   - session: The session to change; nil for a new one.
    ///   - name: The name where the text has none.
    ///   - newID: Makes identifiers.
    public func session(
        changing session: SessionTemplate? = nil,
        name: String,
        newID: () -> String
    ) -> SessionTemplate {
        var result = session ?? SessionTemplate(id: newID(), name: name, items: [])
        result.name = self.name ?? name
        result.tags = tags ?? (session?.tags == nil ? nil : [])
        result.scheduledDaysOfWeek = days ?? (session?.scheduledDaysOfWeek == nil ? nil : [])
        var rest = session?.items ?? []
        // Match equal blocks first, then those of one name, then those that differ by name alone; the rest are new.
        var kept = blocks.map { block in Self.take(&rest) { Block($0) == block } }
        for (index, block) in blocks.enumerated() where kept[index] == nil {
            kept[index] = Self.take(&rest) { $0.label == block.label }
        }
        keepRelabelled(of: session?.items ?? [], from: rest, &kept)
        result.items = zip(blocks, kept).map { block, old in
            var item =
                old ?? BlockInstance(id: newID(), label: block.label, kind: block.kind, timing: block.timing)
            block.write(to: &item)
            return item
        }
        return result
    }

    /// Keeps blocks of which the label alone is another one: at the same place, or where only one is changed.
    private func keepRelabelled(of items: [BlockInstance], from rest: [BlockInstance], _ kept: inout [BlockInstance?]) {
        func isRelabelled(_ old: BlockInstance, _ block: Block) -> Bool {
            var renamed = Block(old)
            renamed.label = block.label
            return renamed == block
        }
        let open = blocks.indices.filter { kept[$0] == nil }
        if items.count == blocks.count {
            let free = Set(rest.map(\.id))
            for index in open where free.contains(items[index].id) && isRelabelled(items[index], blocks[index]) {
                kept[index] = items[index]
            }
        } else if open.count == 1 {
            let candidates = rest.filter { isRelabelled($0, blocks[open[0]]) }
            if candidates.count == 1 { kept[open[0]] = candidates[0] }
        }
    }

    private static func take(_ blocks: inout [BlockInstance], _ fits: (BlockInstance) -> Bool) -> BlockInstance? {
        blocks.firstIndex(where: fits).map { blocks.remove(at: $0) }
    }
}

/// A text that is no session.
public struct SessionTextError: Error, Sendable, Hashable {
    /// The line, from 1 on.
    public let line: Int
    /// The message: what was found and what was expected.
    public let message: String
}
