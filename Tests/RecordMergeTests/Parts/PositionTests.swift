import TestSupport
import Testing

@testable import RecordMerge

@Suite struct PositionTests {
    private func size(_ positions: [ListPosition]) -> Int { positions.map(\.text.utf8.count).max() ?? 0 }

    /// Puts in ten thousand elements one after the other, each in a synchronisation of its own, and tells the longest
    /// position and how often the list had to be numbered anew.
    private func insert(_ count: Int, at place: (Int, [ListPosition]) -> Int, by writers: [String]) -> (Int, Int) {
        var list: [ListPosition] = []
        var renumbered = 0
        var longest = 0
        for round in 0..<count {
            let index = place(round, list)
            let left = index > 0 ? list[index - 1] : nil
            let right = index < list.count ? list[index] : nil
            let writer = WriterID.named(writers[round % writers.count])
            if let new = ListPosition.run(1, between: left, and: right, by: writer)?.first {
                if let left { #expect(left < new) }
                if let right { #expect(new < right) }
                list.insert(new, at: index)
                longest = max(longest, new.text.utf8.count)
            } else {
                renumbered += 1
                list = (0...list.count).map { ListPosition(steps: [.init(number: round, writer: writer, count: $0)]) }
            }
        }
        return (longest, renumbered)
    }

    @Test(arguments: [["kitchen0"], ["kitchen0", "bedroom1"], ["c", "a", "b"]])
    func `ten thousand insertions at one place keep positions short`(writers: [String]) {
        let patterns: [(String, (Int, [ListPosition]) -> Int)] = [
            ("end", { _, list in list.count }),
            ("beginning", { _, _ in 0 }),
            ("behind the first", { _, list in min(1, list.count) }),
            ("before the last", { _, list in max(0, list.count - 1) }),
        ]
        for (name, place) in patterns {
            let (longest, renumbered) = insert(10_000, at: place, by: writers)
            #expect(longest <= 120, "\(name): \(longest) bytes")
            #expect(renumbered <= 400, "\(name): \(renumbered) times")
        }
    }

    @Test func `random insertions keep positions short`() {
        var dice = SeededGenerator(seed: 5)
        let (longest, renumbered) = insert(3000, at: { _, list in dice.below(list.count + 1) }, by: ["a", "b", "c"])
        #expect(longest < 400 && renumbered < 5)
    }

    @Test(arguments: [["kitchen0"], ["c", "a", "b"]])
    func `in a place that gets narrower all the time the list is numbered anew`(writers: [String]) {
        // Always between the last two that were put in: positions that never change cannot be short here.
        let (longest, renumbered) = insert(10_000, at: { round, list in min(round / 2, list.count) }, by: writers)
        #expect(longest <= 24 * 16 && renumbered < 400)
    }

    /// docs/sync.md, section 6: the rules, each in its turn.
    @Test(arguments: [
        ([nil, nil], "0:w:0 0:w:1"),
        (["5:w:3", nil], "5:w:4 5:w:5"),
        (["5:w:3", "5:w:5"], "5:w:3/0:w:0 5:w:3/0:w:1"),
        (["1:b:0", "5:w:3"], "5:w:1 5:w:2"),
        (["5:w:2", "5:w:3"], "5:w:2/0:w:0 5:w:2/0:w:1"),
        (["5:a:3", nil], "6:w:0 6:w:1"),
        (["5:a:3/0:b:0", "7:z:0"], "5:a:3/1:w:0 5:a:3/1:w:1"),
        (["5:a:3/0:b:0", "5:a:3/1:a:0"], "5:a:3/0:w:0 5:a:3/0:w:1"),
        (["5:a:3/0:b:0", "5:a:4"], "5:a:3/1:w:0 5:a:3/1:w:1"),
        ([nil, "5:a:3"], "4:w:0 4:w:1"),
        (["1:a:0", "1:a:0/0:b:0"], "1:a:0/-1:w:0 1:a:0/-1:w:1"),
        (["5:a:3", "5:a:4"], "5:a:3/0:w:0 5:a:3/0:w:1"),
    ])
    func `a run of two gets the first positions that do`(neighbours: [String?], expected: String) throws {
        let (left, right) = (neighbours[0].flatMap(ListPosition.init), neighbours[1].flatMap(ListPosition.init))
        let run = try #require(ListPosition.run(2, between: left, and: right, by: .named("w")))
        #expect(run.map(\.text).joined(separator: " ") == expected)
    }

    @Test(arguments: ["", "x", "0:a", "0:a:b", "0:A:0", "0:a:0/", "99999999999999999999:a:0", "0::0"])
    func `what is no position is none`(text: String) { #expect(ListPosition(text) == nil) }

    @Test func `positions at the ends of integers have neighbours`() throws {
        for text in ["9223372036854775807:a:9223372036854775807", "-9223372036854775808:a:-9223372036854775808"] {
            let position = try #require(ListPosition(text))
            #expect(position.text == text)
            for writer in ["a", "b"] {
                let after = try #require(ListPosition.run(3, between: position, and: nil, by: .named(writer)))
                #expect(position < after[0] && after[0] < after[1] && after[1] < after[2])
            }
        }
    }

    @Test func `a place between two equal positions is none`() {
        let position = ListPosition("0:a:0")
        #expect(ListPosition.run(1, between: position, and: position, by: .named("b")) == nil)
    }
}
