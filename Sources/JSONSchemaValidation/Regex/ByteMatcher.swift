/// A deterministic automaton over UTF-8 bytes as one table: one lookup for each byte of input, and no allocation.
///
/// The table starts with the column of each of the 256 bytes. Then there is a row for each state, with the row of the
/// next state for each column; a state is the index of its row. The last column is for the end of the input.
struct ByteMatcher: Sendable {
    private let table: [UInt32]
    private let start: Int

    /// The row of the state that has matched whatever follows; before it comes the row of the one that cannot match.
    private let accepted: Int
    private let endColumn: Int

    /// Makes a matcher of a table that is laid out as described.
    init(table: [UInt32], start: Int, columns: Int) {
        self.table = table
        self.start = start
        accepted = 256 + columns
        endColumn = columns - 1
    }

    /// Tells whether the automaton accepts the input.
    func matches(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        table.withUnsafeBufferPointer { table in
            var state = start
            if state <= accepted { return state == accepted }
            for byte in utf8 {
                state = Int(table[state + Int(table[Int(byte)])])
                if state <= accepted { return state == accepted }
            }
            return Int(table[state + endColumn]) == accepted
        }
    }
}
