import FormatKit
import StrictJSON

/// Rows of a table that have the same values in some columns.
struct SlateDuplicates {
    /// Each row that is not the first with its values, and that first one, in the order of the rows.
    private(set) var found: [(place: Int, first: Int)] = []

    init(_ rows: SlateRows, columns names: [String]) {
        let columns = names.compactMap { name in rows.table.columns.firstIndex { $0.text == name } }
        var cells = Array(repeating: -1, count: rows.columnCount)
        var hashed: [(hash: Int, position: Int)] = []
        hashed.reserveCapacity(rows.places.count)
        for (position, place) in rows.places.enumerated() {
            _ = rows.find(place, into: &cells)
            var hasher = Hasher()
            for column in columns {
                let text = cells[column] < 0 ? nil : rows.string(cells[column])
                hasher.combine(text?.count ?? -1)
                if let text { hasher.combine(bytes: UnsafeRawBufferPointer(text)) }
            }
            hashed.append((hasher.finalize(), position))
        }
        hashed.sort { ($0.hash, $0.position) < ($1.hash, $1.position) }
        var start = 0
        for index in hashed.indices.dropFirst() {
            if hashed[index].hash != hashed[start].hash { start = index }
            guard start < index else { continue }
            let place = rows.places[hashed[index].position]
            // Rows that only share the hash are no doubles; the first that is equal counts.
            let first = hashed[start..<index].first { candidate in
                columns.allSatisfy { isEqual(rows, rows.places[candidate.position], place, $0) }
            }
            if let first { found.append((place, rows.places[first.position])) }
        }
        found.sort { $0.place < $1.place }
    }

    private func isEqual(_ rows: SlateRows, _ left: Int, _ right: Int, _ column: Int) -> Bool {
        guard let left = rows.string(left, column), let right = rows.string(right, column) else { return false }
        return left.compare(right) == 0
    }
}

/// The dependencies of tasks: each depends on one other at most.
package struct SlateDependencies {
    private var target: [Int32]

    package init(count: Int) { target = Array(repeating: -1, count: count) }

    package mutating func add(_ task: Int, dependsOn other: Int) { target[task] = Int32(truncatingIfNeeded: other) }

    /// Returns the circles, each beginning with its lowest number, in the order of these.
    package func cycles() -> [[Int]] {
        // 0: not seen; else the number of the walk that came by first.
        var walk = Array(repeating: Int32(0), count: target.count)
        var cycles: [[Int]] = []
        for start in target.indices where walk[start] == 0 {
            let number = Int32(truncatingIfNeeded: start + 1)
            var at = start
            while at >= 0, walk[at] == 0 {
                walk[at] = number
                at = Int(target[at])
            }
            guard at >= 0, walk[at] == number else { continue }
            var cycle = [at]
            var next = Int(target[at])
            while next != at {
                cycle.append(next)
                next = Int(target[next])
            }
            let lowest = cycle.indices.min { cycle[$0] < cycle[$1] } ?? 0
            cycles.append(Array(cycle[lowest...] + cycle[..<lowest]))
        }
        return cycles.sorted { $0[0] < $1[0] }
    }
}
