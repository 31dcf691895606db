import RecordMerge
import StrictJSON
import TestSupport
import Testing

/// Records that are new are taken apart by a shorter way where they can be, to the same end.
@Suite struct NewRecordTests {
    @Test(arguments: ["all", "slate", "tracker", "study", "store"])
    func `a new record is taken apart as one that is edited`(name: String) throws {
        let schema = try Self.schema(name)
        let edits = RandomEdits(schema: schema)
        var plain = 0
        for seed in 1...80 {
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
                    let values: [JSONValue] = [.null, "text", try json("1.5"), 7, [1], ["id": "x"]]
                    store.objects[key]?[name] = dice.pickAny(values)
                }
            }
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
