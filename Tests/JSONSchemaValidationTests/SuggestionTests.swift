import Testing
import TestSupport

@testable import JSONSchemaValidation

/// The name that somebody probably meant.
struct SuggestionTests {
    @Test(arguments: [
        ("durtion", ["name", "duration"], "duration"), ("Name", ["size", "name"], "name"), ("nmae", ["name"], "name"),
        ("abxy", ["ab"], nil), ("ab", ["ac"], nil), ("ÄHNLICH", ["ahnlich", "ähnlich"], "ähnlich"),
        ("item1", ["item22", "item2"], "item2"),
    ])
    func nearest(_ name: String, _ candidates: [String], _ expected: String?) {
        #expect(Suggestion.nearest(to: name, among: candidates) == expected)
    }

    /// The search finds what the table of all distances says.
    @Test func againstTable() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            func name(_ length: Int) -> String {
                String((0..<length).map { _ in "abc".randomElement(using: &random) ?? "a" })
            }
            let own = name(5 + Int.random(in: 0..<4, using: &random))
            let others = (0..<4).map { _ in name(Int.random(in: 1..<10, using: &random)) }
            let distances = others.map { Self.distance(Array(own), Array($0)) }
            let least = distances.min() ?? 3
            let expected = least <= 2 ? distances.firstIndex(of: least).map { others[$0] } : nil
            #expect(Suggestion.nearest(to: own, among: others) == expected, "\(own) \(others)")
        }
    }

    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var table = Array(repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
        for row in 0...left.count {
            for column in 0...right.count {
                guard row > 0, column > 0 else {
                    table[row][column] = row + column
                    continue
                }
                var cost = min(table[row - 1][column], table[row][column - 1]) + 1
                cost = min(cost, table[row - 1][column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    cost = min(cost, table[row - 2][column - 2] + 1)
                }
                table[row][column] = cost
            }
        }
        return table[left.count][right.count]
    }

    /// Findings beyond the limit are counted, and not put into words.
    @Test func onlyWhatIsShownIsWorded() {
        struct Item: Placed {
            let place: Int
            var isWarning = false
        }
        var list = FindingList<Item>(limit: 2)
        var worded = 0
        for place in 0..<5_000 {
            var one = FindingList<Item>(limit: 2)
            one.append(Item(place: place))
            list.append(contentsOf: one, at: { $0.place }) { item in
                worded += 1
                return item
            }
        }
        var first = FindingList<Item>(limit: 2)
        first.append(Item(place: -1))
        list.append(contentsOf: first, at: { $0.place }) { $0 }
        #expect(list.count == 5_001)
        #expect(list.finish().map(\.place) == [-1, 0])
        #expect(worded < 500)
    }
}
