import Crypto
import StrictJSON
import TestSupport
import Testing

@testable import RecordMerge

@Suite struct EncodingTests {
    /// A state with all that a state can have.
    private func some() throws -> (state: MergeState, change: Change) {
        let schema = try AllRules.schema()
        var world = Simulation(seed: 11, schema, older: try AllRules.older())
        for step in 0..<60 {
            world.dice = SeededGenerator(seed: UInt64(step + 500))
            try world.step()
        }
        try world.finish()
        let change = try #require(world.messages.max { $0.bytes.count < $1.bytes.count })
        return (world.members[0].device.state, try Change(decoding: change.bytes))
    }

    @Test func `what was written is read again, with the same bytes`() throws {
        let (state, change) = try some()
        let read = try MergeState(decoding: state.encoded())
        #expect(read == state)
        #expect(read.encoded() == state.encoded())
        #expect(try Change(decoding: change.encoded()) == change)
        #expect(state.digest == read.digest)
        let hash = SHA256.hash(data: state.encoded()).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(hash.joined() == state.digest)
    }

    @Test func `lines one by one are those of the whole`() throws {
        let (state, change) = try some()
        let lines = state.encoded().split(separator: UInt8(ascii: "\n")).map(Array.init)
        let header = StateHeader(seen: state.seen, recordCount: state.records.count)
        #expect(header.encodedLine() == lines[0])
        var decoder = LineDecoder()
        #expect(try lines[0].withUnsafeBytes { try decoder.stateHeader($0) } == header)
        var digest = StateDigest(header)
        var read = MergeState()
        read.seen = header.seen
        var encoder = LineEncoder()
        for (index, line) in lines.dropFirst().enumerated() {
            let (key, record) = try line.withUnsafeBytes { try decoder.record($0, number: index + 2, in: header.seen) }
            #expect(record.encodedLine(key) == line)
            #expect(encoder.line(key, record) == line)
            line.withUnsafeBytes { digest.update($0) }
            read.setRecord(key, record)
        }
        #expect(read == state)
        #expect(digest.finalize() == state.digest)
        let changed = change.encoded().split(separator: UInt8(ascii: "\n")).map(Array.init)
        #expect(changed.count == change.records.count + 1)
        for (line, record) in zip(changed.dropFirst(), change.records) {
            #expect(record.encodedLine() == line)
            #expect(try line.withUnsafeBytes { try decoder.changedRecord($0) } == record)
        }
    }

    @Test(arguments: [
        (#""by":["a",2,0],"seen":{},"cells":[]"#, "left out"),
        (#""by":["a",2,0],"origins":[["a",2]],"cells":[]"#, "left out"),
        (#""by":["a",2,0],"stamps":[["a",1,0]],"cells":[]"#, "a stamp of no value"),
        (#""by":["a",2,0],"stamps":[["a",2,0]],"cells":[["x",1,1]]"#, "stamps out of order"),
        (#""by":["a",2,0],"stamps":[["b",1,0]],"cells":[["x",1,1]]"#, "had not seen"),
        (#""by":["a",2,0],"cells":[],"seen":{"b":1}"#, "not in its place"),
        (#""seen":{"b":1},"by":["a",2,0],"cells":[]"#, "expected the member \"by\""),
        (#""by":["a",02,0],"cells":[]"#, "zero"),
        (#""by":["a",2,0,0],"cells":[]"#, "a count"),
        (#""by":["a",[2],0],"cells":[]"#, "a number of a change"),
        (#""by":["a",2,0],"cells":[["x",0,1,[["a",1,"y"]]]]"#, "of what is no text"),
        (#""by":["a",2,0],"cells":[["x",0,"z",[]]]"#, "earlier texts"),
        (#""by":["a",2,0],"cells":[[["item-member","x","y"],0,1]]"#, "no known kind"),
        (#""by":["a",2,0],"cells":[["x",0,1,[],2]]"#, "a cell"),
    ])
    func `what no writer writes is refused`(version: String, message: String) {
        let line = #"{"collection":"c","key":"k","versions":[{"# + version + "}]}"
        var decoder = LineDecoder()
        let error = #expect(throws: MergeDataError.self) {
            try Array(line.utf8).withUnsafeBytes { try decoder.record($0) }
        }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `a line that is not the state's is refused with its number`() throws {
        let line = Array(#"{"collection":"c","key":"k","versions":[{"by":["a",1,0],"cells":[]}]}"#.utf8)
        var decoder = LineDecoder()
        _ = try line.withUnsafeBytes { try decoder.record($0) }
        let error = #expect(throws: MergeDataError.self) {
            try line.withUnsafeBytes { try decoder.record($0, number: 7, in: VersionVector()) }
        }
        #expect(error?.description == "line 7: found a change that the state has not seen")
    }

    @Test func `damaged bytes are refused or read, never more`() throws {
        let (state, change) = try some()
        var dice = SeededGenerator(seed: 77)
        for bytes in [state.encoded(), change.encoded()] {
            for _ in 0..<1500 {
                var damaged = bytes
                switch dice.below(4) {
                case 0: damaged.removeLast(dice.below(damaged.count))
                case 1: damaged[dice.below(damaged.count)] = UInt8(truncatingIfNeeded: dice.next())
                case 2: damaged.remove(at: dice.below(damaged.count))
                default:
                    let start = dice.below(damaged.count)
                    damaged.insert(contentsOf: damaged[start...].prefix(dice.below(40)), at: dice.below(damaged.count))
                }
                // What is read can be worked with: joined, shown, changed and written.
                if let read = try? MergeState(decoding: damaged) {
                    var joined = state
                    joined.join(read)
                    _ = ResolvedSet(joined, try AllRules.schema()).conflicts
                    #expect(try MergeState(decoding: read.encoded()) == read)
                }
                if let read = try? Change(decoding: damaged) {
                    var joined = state
                    _ = try? joined.apply(read)
                    _ = ResolvedSet(joined, try AllRules.schema()).conflicts
                }
            }
        }
    }

    @Test(arguments: [
        ("", "line 1: found the end"),
        ("[]\n", "expected the header"),
        ("{}\n", #"expected the format "satchel-state""#),
        (#"{"format":"satchel-state","version":2,"seen":{},"records":0}"# + "\n", "version 2"),
        (#"{"format":"satchel-state","version":1,"seen":{},"records":0}"#, "no end of the line"),
        (#"{"format":"satchel-state","version":1,"seen":{},"records":1}"# + "\n", "line 2: found the end"),
        (#"{"format":"satchel-state","version":1,"seen":{},"records":-1}"# + "\n", "an integer from 0"),
        (#"{"format":"satchel-state","version":1,"seen":{"b":1,"a":1},"records":0}"# + "\n", "out of order"),
        (#"{"format":"satchel-state","version":1,"seen":{"A":1},"records":0}"# + "\n", "no writer's"),
        (#"{"format":"satchel-state","version":1,"seen":{"a":0},"records":0}"# + "\n", "from 1"),
        (#"{"format":"satchel-state","version":1,"seen":{"a":1.0},"records":0}"# + "\n", "integer"),
        (#"{"format":"satchel-state","version":1,"seen":{},"records":0,"x":1}"# + "\n", "unknown member"),
        (
            #"{"format":"satchel-state","version":1,"seen":{},"records":1}"# + "\n"
                + #"{"collection":"c","key":"k","versions":[{"by":["a",1,0],"cells":[]}]}"# + "\n",
            "has not seen"
        ),
        (
            #"{"format":"satchel-state","version":1,"seen":{"a":1},"records":1}"# + "\n"
                + #"{"collection":"c","key":"k","versions":[{"by":["a",1,0],"cells":[["b",0,1],["a",0,1]]}]}"# + "\n",
            "cells out of order"
        ),
        (
            #"{"format":"satchel-state","version":1,"seen":{"a":1},"records":1}"# + "\n"
                + #"{"collection":"c","key":"k","versions":[{"by":["a",1,0],"cells":[["b",9,1]]}]}"# + "\n",
            "the number of a stamp"
        ),
        (
            #"{"format":"satchel-state","version":1,"seen":{"a":1},"records":1}"# + "\n"
                + #"{"collection":"c","key":"k","versions":[{"by":["a",1,0],"cells":[[["place","x"],0,1]]}]}"# + "\n",
            "no known kind"
        ),
    ])
    func `each fault has its message`(text: String, message: String) {
        let error = #expect(throws: MergeDataError.self) { try MergeState(decoding: Array(text.utf8)) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `limits hold`() throws {
        let (state, _) = try some()
        var limits = MergeLimits()
        limits.mostRecords = 1
        #expect(throws: MergeDataError.self) { try MergeState(decoding: state.encoded(), limits: limits) }
        limits = MergeLimits()
        limits.mostLineBytes = 100
        #expect(throws: MergeDataError.self) { try MergeState(decoding: state.encoded(), limits: limits) }
    }
}
