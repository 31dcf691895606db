internal import FormatKit
internal import StrictJSON

/// The content of one session in the place of another, which keeps what the new content does not have.
struct SessionUpdate {
    /// The session to store.
    private(set) var session: SessionTemplate
    /// The old session's block that each block is; nil for a new one.
    let kept: [BlockInstance?]
    /// True if more than identifiers and links to activities differs.
    let isChange: Bool

    /// Puts new content into the place of a stored session.
    ///
    /// - Parameters:
    ///   - read: The content before its categories were mapped; a block that has the same there as before keeps it.
    ///   - unsaid: The members that the content's writer did not know.
    ///   - newID: Gives the identifiers of new blocks.
    init(
        of old: SessionTemplate,
        to content: SessionTemplate,
        read: SessionTemplate,
        unsaid: Set<String>,
        newID: () -> String
    ) {
        var new = content
        new.id = old.id
        kept = Self.match(content.items, with: old.items)
        for (index, kept) in kept.enumerated() {
            new.items[index].id = kept?.id ?? newID()
            guard let kept else { continue }
            if unsaid.contains("category"), kept.kind == .activity, new.items[index].kind == .activity {
                new.items[index].category = kept.category
            }
            if read.items[index].category == kept.category { new.items[index].category = kept.category }
            new.items[index].templateId = new.items[index].templateId ?? kept.templateId
            new.items[index].color = new.items[index].color ?? kept.color
            new.items[index].icon = new.items[index].icon ?? kept.icon
            new.items[index].notes = new.items[index].notes ?? kept.notes
            new.items[index].extra.keep(kept.extra)
        }
        if unsaid.contains("tags") { new.tags = old.tags }
        new.tags = new.tags ?? old.tags
        new.scheduledDaysOfWeek = new.scheduledDaysOfWeek ?? old.scheduledDaysOfWeek
        new.extra.keep(old.extra)
        session = new
        isChange = ContentDigest(of: new) != ContentDigest(of: old)
    }

    /// Returns the block of the store that each block of a file is: the one of its UUID, else of its label and length,
    /// wherever it stands, else of its label; of several those in the same order.
    private static func match(_ blocks: [BlockInstance], with stored: [BlockInstance]) -> [BlockInstance?] {
        var rest = Array(stored.indices)
        var found = [Int?](repeating: nil, count: blocks.count)
        func take(_ isSame: (BlockInstance, BlockInstance) -> Bool) {
            for (index, block) in blocks.enumerated() where found[index] == nil {
                found[index] = rest.firstIndex { isSame(block, stored[$0]) }.map { rest.remove(at: $0) }
            }
        }
        take { Identifier.isUUID($0.id) && $0.id == $1.id }
        let (open, places) = (blocks.indices.filter { found[$0] == nil }, rest)
        let aligned = BlockAlignment.align(open.count, places.count) { index, place in
            let (block, stored) = (blocks[open[index]], stored[places[place]])
            return block.label != stored.label ? .none : block.timing == stored.timing ? .same : .label
        }
        let pairs = zip(open, aligned).compactMap { index, place in place.map { (index: index, place: places[$0]) } }
        func keep(_ isSame: (BlockInstance, BlockInstance) -> Bool) {
            var free = Set(rest)
            for (index, place) in pairs where found[index] == nil && isSame(blocks[index], stored[place]) {
                found[index] = free.remove(place)
            }
            rest = rest.filter(free.contains)
        }
        // An equal block at another place comes before one of another length at this place.
        keep { $0.timing == $1.timing }
        take { $0.label == $1.label && $0.timing == $1.timing }
        keep { $0.label == $1.label }
        take { $0.label == $1.label }
        return found.map { $0.map { stored[$0] } }
    }
}

/// The names and lengths in a session: what it has in common with the same one under days, tags and notes of one's own.
struct SessionOutline: Hashable {
    private struct Block: Hashable {
        let label: String
        let timing: BlockTiming
    }

    private let name: String
    private let blocks: [Block]

    init(_ session: SessionTemplate) {
        name = session.name
        blocks = session.items.map { Block(label: $0.label, timing: $0.timing) }
    }
}
