import StrictJSON
import TestSupport
import Testing

@testable import RecordMerge

/// Texts are merged by words, within bounds.
@Suite struct TextMergeTests {
    private static func words(_ range: Range<Int>, _ prefix: String = "w") -> String {
        range.map { "\(prefix)\($0)" }.joined(separator: " ") + " "
    }

    @Test func `what two sides changed at different places is merged`() {
        let base = "one two three four five six"
        #expect(
            TextMerge.merge(base: base, "one 2 three four five six", "one two three four 5 six")
                == "one 2 three four 5 six"
        )
        #expect(TextMerge.merge(base: base, "zero " + base, base + " seven") == "zero " + base + " seven")
        #expect(TextMerge.merge(base: base, "one 2 three four five six", "one II three four five six") == nil)
        #expect(TextMerge.merge(base: "", "a", "") == "a")
    }

    @Test func `a text that differs in more words than the budget is not merged`() {
        let (base, end) = (Self.words(0..<4000), Self.words(0..<3999) + "end ")
        let most = TextMerge.mostChangedWords
        let half = Self.words(0..<most / 2, "x") + Self.words(most / 2..<4000)
        #expect(TextMerge.merge(base: base, half, end)?.hasSuffix("w3998 end ") == true)
        let more = Self.words(0..<most / 2 + 1, "x") + Self.words(most / 2 + 1..<4000)
        #expect(TextMerge.merge(base: base, more, end) == nil)
        #expect(TextMerge.merge(base: base, end, more) == nil)
        #expect(TextMerge.merge(base: base, Self.words(0..<4000, "x"), Self.words(0..<4000, "y")) == nil)
        #expect(TextMerge.merge(base: "a", String(repeating: "b", count: 300_000), "a c") == nil)
    }

    @Test func `pairs of words are in order, equal, and as many as there can be`() {
        var dice = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let left = (0..<dice.below(12)).map { _ in dice.below(4) }
            let right = (0..<dice.below(12)).map { _ in dice.below(4) }
            let pairs = WordPairs.between(left, right, most: 24) ?? []
            #expect(pairs.allSatisfy { left[$0.0] == right[$0.1] })
            #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0.0 < $1.0 && $0.1 < $1.1 })
            #expect(pairs.count == Self.longest(left, right), "\(left) \(right)")
        }
    }

    /// The length of the longest common subsequence, by the table.
    private static func longest(_ left: [Int], _ right: [Int]) -> Int {
        var row = Array(repeating: 0, count: right.count + 1)
        for one in left {
            var next = row
            for (index, other) in right.enumerated() {
                next[index + 1] = one == other ? row[index] + 1 : max(row[index + 1], next[index])
            }
            row = next
        }
        return row[right.count]
    }
}
