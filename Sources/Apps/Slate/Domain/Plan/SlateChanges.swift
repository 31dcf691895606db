import FormatKit

/// The number of rows of a table that differ between two states.
public struct SlateChanges: Sendable, Hashable {
    /// Rows that only the second state has.
    public private(set) var added = 0
    /// Rows that only the first state has.
    public private(set) var removed = 0
    /// Rows that both have, and not the same.
    public private(set) var changed = 0
    /// The number of those that are newer in the first state.
    public private(set) var newer = 0

    /// The titles of the first rows that only the first state has; empty for tables without titles.
    public private(set) var removedTitles: [String] = []

    /// The most titles that are noted.
    public static let mostTitles = 20

    /// True if both states are the same.
    public var isEmpty: Bool { added == 0 && removed == 0 && changed == 0 }

    /// Counts the differences between two runs of rows of a table; a row that cannot be read differs from every other.
    package init(from first: any SlateRowStream, to second: any SlateRowStream, of table: SlateTable) throws {
        let (first, second) = (SlateRowTexts(first), SlateRowTexts(second))
        try SlateWalk.walk(first, second) { step in
            switch step {
            case .leftOnly:
                removed += 1
                guard [.tasks, .habits].contains(table), removedTitles.count < Self.mostTitles,
                    let text = try? first.text,
                    let title = SlateDifference(text, Array("{}".utf8), of: table).oldTitle
                else { return }
                removedTitles.append(title)
            case .rightOnly: added += 1
            case .both:
                let texts = (try? first.text, try? second.text)
                guard texts.0 == nil || texts.0 != texts.1 else { return }
                changed += 1
                if let old = texts.0, let new = texts.1, SlateDifference(old, new, of: table).order == .oldIsNewer {
                    newer += 1
                }
            }
        }
    }
}
