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
        let former = session?.scheduledDaysOfWeek
        // The order of days means nothing: the same ones stay as the session has them.
        result.scheduledDaysOfWeek = days.map(Set.init) == former.map(Set.init) ? former : days ?? []
        let kept = kept(of: session?.items ?? [])
        result.items = zip(blocks, kept).map { block, old in
            var item =
                old ?? BlockInstance(id: newID(), label: block.label, kind: block.kind, timing: block.timing)
            block.write(to: &item)
            return item
        }
        return result
    }

    /// Returns the blocks of a session that those of the text are; nil for a new one.
    ///
    /// Equal blocks in the same order come first; then equal ones that moved, and those of one label. Of a block that
    /// differs by its label alone the place has to tell that it is the same: as many blocks as before stand between its
    /// neighbours or before it, or no other one is left.
    private func kept(of items: [BlockInstance]) -> [BlockInstance?] {
        let old = items.map(Block.init)
        func isRelabelled(_ old: Block, _ block: Block) -> Bool {
            var renamed = old
            renamed.label = block.label
            return renamed == block
        }
        var found = BlockAlignment.align(blocks.count, old.count) { new, index in
            let (block, earlier) = (blocks[new], old[index])
            if block.label == earlier.label { return block == earlier ? .same : .label }
            return isRelabelled(earlier, block) ? .relabelled : .none
        }
        // The first blocks behind the last one that kept its label.
        var (start, oldStart) = (0, 0)
        for end in 0...blocks.count {
            let match = end < blocks.count ? found[end] : old.count
            guard let oldEnd = match, end == blocks.count || old[oldEnd].label == blocks[end].label else { continue }
            for index in start..<end {
                let place = oldStart + index - start
                let isSame = end - start == oldEnd - oldStart && isRelabelled(old[place], blocks[index])
                found[index] = isSame ? place : nil
            }
            (start, oldStart) = (end + 1, oldEnd + 1)
        }
        // An equal block at another place comes before one that differs at this place.
        let aligned = found
        for (index, place) in aligned.enumerated() where place.map({ old[$0] != blocks[index] }) == true {
            found[index] = nil
        }
        let taken = Set(found.compactMap(\.self))
        var rest = old.indices.filter { !taken.contains($0) }
        func keep(_ index: Int, _ place: Int) {
            guard found[index] == nil, let other = rest.firstIndex(of: place) else { return }
            found[index] = rest.remove(at: other)
        }
        func take(_ index: Int, _ fits: (Block) -> Bool) {
            guard found[index] == nil, let place = rest.firstIndex(where: { fits(old[$0]) }) else { return }
            found[index] = rest.remove(at: place)
        }
        for (index, block) in blocks.enumerated() { take(index) { $0 == block } }
        for (index, place) in aligned.enumerated() { place.map { keep(index, $0) } }
        for (index, block) in blocks.enumerated() { take(index) { $0.label == block.label } }
        let open = blocks.indices.filter { found[$0] == nil }
        if items.count == blocks.count {
            for index in open where isRelabelled(old[index], blocks[index]) { keep(index, index) }
        } else if open.count == 1 {
            let candidates = rest.filter { isRelabelled(old[$0], blocks[open[0]]) }
            if candidates.count == 1 { found[open[0]] = candidates[0] }
        }
        return found.map { $0.map { items[$0] } }
    }
}

/// A text that is no session.
public struct SessionTextError: Error, Sendable, Hashable {
    /// The line, from 1 on.
    public let line: Int
    /// The message: what was found and what was expected.
    public let message: String
}
