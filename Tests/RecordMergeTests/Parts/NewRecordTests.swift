import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import RecordMerge

/// Records that are new are taken apart by a shorter way where they can be, to the same end.
@Suite struct NewRecordTests {
    @Test(arguments: ["all", "slate", "tracker", "study", "store"])
    func `a new record is taken apart as one that is edited`(name: String) throws {
        let schema = try Self.schema(name)
        var plain = 0
        for seed in 1...80 {
            let store = Self.records(schema, seed)
            let stamp = Stamp(Dot(.named("a"), 1), HybridClock(milliseconds: 1000))
            let detectChanges = ChangeDetection(schema, stamp)
            // A decision on a place that is not there changes nothing, but is made in the record's places.
            let decided = store.objects.mapValues { _ in Set([["no such place"]]) }
            let short = try detectChanges.change(from: RecordSet(), to: store, in: MergeState())
            let long = try detectChanges.change(from: RecordSet(), to: store, in: MergeState(), decided: decided)
            #expect(short == long, "seed \(seed)")
            #expect(short.encoded() == long.encoded(), "seed \(seed)")
            #expect(short.records.count == store.objects.count)
            plain += store.objects.count
        }
        #expect(plain > 100)
    }

    @Test(arguments: ["all", "slate", "tracker", "study", "store"])
    func `a plain record's lines are those of its version, and are read to what it resolves to`(name: String) throws {
        let schema = try Self.schema(name)
        var reader = PlainLineReader()
        var (plain, others) = (0, 0)
        for seed in 1...40 {
            let store = Self.records(schema, seed)
            let stamp = Stamp(Dot(.named("a"), 1), HybridClock(milliseconds: 1000 + seed))
            let change = try ChangeDetection(schema, stamp).change(from: RecordSet(), to: store, in: MergeState())
            let lines = PlainLines(schema, stamp)
            // In any order; the others go into the change.
            let isPlain = Dictionary(uniqueKeysWithValues: store.objects.map { ($0, lines.append($0, $1)) })
            let rest = change.records.filter { isPlain[$0.key] == false }
            var mixed: [UInt8] = []
            withoutActuallyEscaping({ (bytes: UnsafeRawBufferPointer) in mixed.append(contentsOf: bytes) }) { sink in
                try? Change(stamp, base: change.base, records: rest).write(with: lines, to: sink)
            }
            #expect(mixed == change.encoded(), "seed \(seed)")
            plain += lines.keys.count
            others += rest.count
            for record in change.records {
                let version = try #require(record.version)
                let state = RecordState(version)
                let (line, key) = (state.encodedLine(record.key), record.key)
                let shown = ResolvedRecord(key, state, schema.record(in: key.collection)).object
                let found = line.withUnsafeBytes { reader.object(of: $0, in: key.collection, schema) }
                if isPlain[key] == true { #expect(found != nil, "seed \(seed)") }
                if let found {
                    #expect(found == shown && found.names == shown.names, "seed \(seed)")
                    let changed = record.encodedLine()
                    #expect(changed.withUnsafeBytes { stateLine(ofCreated: $0) } == line, "seed \(seed)")
                }
            }
        }
        #expect(plain > 40)
        #expect(others > 0 || name != "all")
    }

    @Test func `a writer notices a line that comes back otherwise`() throws {
        let stamp = Stamp(Dot(.named("a"), 1), HybridClock(milliseconds: 1000))
        let lines = PlainLines(try Self.schema("slate"), stamp)
        for number in 0..<3 {
            let task: JSONObject = ["id": .string("t\(number)"), "title": .string("Task \(number)"), "is_done": true]
            #expect(lines.append(RecordKey("tasks", "t\(number)"), task))
        }
        var bytes: [UInt8] = []
        withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
            try? Change(stamp, base: VersionVector(), records: []).write(with: lines, to: sink)
        }
        let texts = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        func comeBack(_ texts: [[UInt8]]) -> Bool {
            var reader = ChangeReader(returning: lines)
            do {
                _ = try texts[0].withUnsafeBytes { try reader.header($0, number: 1) }
                for text in texts.dropFirst() { _ = try text.withUnsafeBytes { try reader.line($0, number: 2) } }
            } catch {
                return false
            }
            return reader.isComplete
        }
        #expect(texts.count == 4 && comeBack(texts))
        #expect(!comeBack(texts.dropLast()))
        #expect(!comeBack([texts[0], texts[2], texts[1], texts[3]]))
        for (number, text) in texts.enumerated().dropFirst() {
            for place in text.indices {
                var other = texts
                other[number][place] ^= 1
                #expect(!comeBack(other), "line \(number), byte \(place)")
            }
        }
    }

    @Test(arguments: ["all", "slate", "tracker"])
    func `a plain line is accepted where its record would be`(name: String) throws {
        let schema = try Self.schema(name)
        let stamp = Stamp(Dot(.named("a"), 1), HybridClock(milliseconds: 1000))
        var (accepted, refused) = (0, 0)
        for seed in 1...12 {
            var dice = SeededGenerator(seed: UInt64(seed))
            let change = try ChangeDetection(schema, stamp)
                .change(from: RecordSet(), to: Self.records(schema, seed), in: MergeState())
            let texts = change.encoded().split(separator: UInt8(ascii: "\n")).map(Array.init)
            for text in texts.dropFirst() {
                for _ in 0..<40 {
                    let line = Self.damaged(text, &dice)
                    func read<Result>(_ body: (inout ChangeReader, UnsafeRawBufferPointer) throws -> Result) -> Result?
                    {
                        var reader = ChangeReader()
                        _ = try? texts[0].withUnsafeBytes { try reader.header($0, number: 1) }
                        return line.withUnsafeBytes { bytes in try? body(&reader, bytes) }
                    }
                    let long = read { try $0.record($1, number: 2) }
                    switch read({ try $0.line($1, number: 2) }) {
                    case .plain(let key, let by): #expect(long?.key == key && long?.version?.stamp == by)
                    case .record(let record): #expect(long == record)
                    case nil: #expect(long == nil, "\(String(decoding: line, as: UTF8.self))")
                    }
                    if long == nil { refused += 1 } else { accepted += 1 }
                }
            }
        }
        #expect(accepted > 300 && refused > 300)
    }

    /// A line with something turned, cut, doubled or exchanged; sometimes as it was.
    private static func damaged(_ line: [UInt8], _ dice: inout SeededGenerator) -> [UInt8] {
        var line = line
        let place = Int.random(in: line.indices, using: &dice)
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: line[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 1: line.remove(at: place)
        case 2: line.insert(line[place], at: place)
        case 3: line[place] = Array("[]{},:\"0123a\\".utf8).randomElement(using: &dice) ?? 0
        case 4:
            // Two cells change places.
            let text = String(decoding: line, as: UTF8.self)
            let parts = text.components(separatedBy: "],[")
            guard parts.count > 2 else { break }
            let index = Int.random(in: 1..<parts.count - 1, using: &dice)
            var others = parts
            others[index] = parts[max(index - 1, 1)]
            line = Array(others.joined(separator: "],[").utf8)
        default: break
        }
        return line
    }

    /// Random records of collections without an order, some with what no rule expects.
    private static func records(_ schema: MergeSchema, _ seed: Int) -> RecordSet {
        let edits = RandomEdits(schema: schema)
        var dice = SeededGenerator(seed: UInt64(seed))
        var store = RecordSet()
        for _ in 0..<60 { _ = edits.edit(&store, &dice) }
        // Collections with an order have places, which are no part of this.
        store.objects = store.objects.filter { schema.collection($0.key.collection)?.rule != .list }
        store.order = [:]
        // What no rule names, and values that are not of the kind that a rule is for.
        for key in store.objects.keys.sorted() where dice.chance(30) {
            store.objects[key]?["unknown"] = dice.chance(50) ? [1, 2] : "text"
            let names = schema.record(in: key.collection).members.map(\.name)
            if let name = dice.pickAny(names) {
                let values: [JSONValue] = [
                    .null, "text", .number(JSONNumber(Double(dice.chance(50) ? 1.5 : 0.25)) ?? JSONNumber(1)), 7, [1],
                    ["id": "x"], "with \"quotes\", \\ and \n", ",\"version\":",
                ]
                store.objects[key]?[name] = dice.pickAny(values)
            }
        }
        return store
    }

    private static func schema(_ name: String) throws -> MergeSchema {
        switch name {
        case "slate": try Schemas.slate()
        case "tracker": try Schemas.tracker()
        case "study": try Schemas.study()
        case "store": try Schemas.store()
        default: try AllRules.schema()
        }
    }
}
