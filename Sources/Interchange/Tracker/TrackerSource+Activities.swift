internal import TimeTracker

extension TrackerSource {
    /// Gives each activity to a function, in order.
    func forEachActivity(_ body: (TrackerActivity) throws -> Void) throws {
        let rows = try rows()
        while let row = try rows.next() { try body(row.activity) }
    }
}
