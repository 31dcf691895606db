/// The check whether a backup holds suspiciously few rows.
public enum SlateShrink {
    /// The number of missing rows that gives a warning, and of rows in a table that became empty.
    static let threshold = 20

    /// Returns the warning about a backup that has far fewer rows than the one before; nil where it has not.
    ///
    /// So it is where it has less than half of all rows and at least 20 fewer, or where a table that had at least 20
    /// rows has none.
    ///
    /// ```swift
    /// SlateShrink.warning(previous: [("tasks", 240)], current: [("tasks", 3)])
    /// // "3 rows where the backup before has 240"
    /// ```
    ///
    /// - Parameters:
    ///   - previous: The rows of each table in the backup before.
    ///   - current: The same of the new one; a table that is missing has none.
    public static func warning(
        previous: [(table: String, rows: Int)],
        current: [(table: String, rows: Int)]
    ) -> String? {
        var parts: [String] = []
        let (before, now) = (total(previous), total(current))
        if before > now, now < before - now, before - now >= threshold {
            parts.append("\(now) \(now == 1 ? "row" : "rows") where the backup before has \(before)")
        }
        for (table, rows) in previous where rows >= threshold {
            if total(current.filter { $0.table == table }) == 0 {
                parts.append("none in \(table), which had \(rows)")
            }
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// Tells whether a backup has at least 20 rows fewer than another, so that it should not take its place.
    public static func isSmaller(
        _ current: [(table: String, rows: Int)],
        than previous: [(table: String, rows: Int)]
    ) -> Bool {
        let (before, now) = (total(previous), total(current))
        return before > now && before - now >= threshold
    }

    /// Returns the sum, held within what an integer can be; a negative number counts as none.
    private static func total(_ counts: [(table: String, rows: Int)]) -> Int {
        counts.reduce(0) { sum, count in
            let (sum, overflow) = sum.addingReportingOverflow(max(count.rows, 0))
            return overflow ? Int.max : sum
        }
    }
}
