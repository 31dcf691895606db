import FormatKit

/// Goes through two runs of rows in the order of their keys, side by side.
enum SlateWalk {
    /// The sides that have a row with the key.
    enum Step {
        case leftOnly, rightOnly, both
    }

    /// Calls `visit` for each key; the sides that have it stand on its row.
    static func walk(_ left: SlateRowTexts, _ right: SlateRowTexts, _ visit: (Step) throws -> Void) throws {
        var hasLeft = try left.next()
        var hasRight = try right.next()
        while hasLeft || hasRight {
            let order = !hasLeft ? 1 : !hasRight ? -1 : left.key.compare(right.key)
            try visit(order < 0 ? .leftOnly : order > 0 ? .rightOnly : .both)
            if order <= 0 { hasLeft = try left.next() }
            if order >= 0 { hasRight = try right.next() }
        }
    }
}
