import RecordMerge
import StrictJSON
import Testing

@Suite struct MergeSchemaTests {
    /// The rule of each member of each record that is not a plain register, as `member: rule`.
    private func told(_ schema: MergeSchema) -> [String] {
        var lines: [String] = []
        func tell(_ rules: RecordRules, _ prefix: String) {
            for member in rules.members {
                let group = member.group.map { " with \($0)" } ?? ""
                let key = member.elements.map { _ in "" } ?? ""
                if member.rule != .register || member.group != nil {
                    lines.append("\(prefix)\(member.name): \(member.rule)\(group)\(key)")
                }
                if let elements = member.elements { tell(elements.record, "\(prefix)\(member.name).") }
            }
        }
        tell(schema.document, "")
        return lines
    }

    @Test func `BZ Timer's rules`() throws {
        let lines = told(try Schemas.store())
        for line in [
            "sessions: list", "activities: list", "sessions.items: list", "sessions.tags: set",
            "sessions.scheduledDaysOfWeek: set",
            "sessions.items.mode: register with mode", "sessions.items.reps: register with mode", "history: log",
            "settings.customCategories: set", "settings.isProUser: local", "settings.enableSounds: local",
        ] {
            #expect(lines.contains(line), "\(line) of \(lines)")
        }
    }

    @Test func `Slate's rules`() throws {
        let schema = try Schemas.slate()
        let lines = told(schema)
        for line in [
            "tasks.is_done: register with is_done", "tasks.done_at: min with is_done",
            "day_plan.perfect_day: fact", "activity_log: log", "habit_completions.id: min",
            "meta.last_open_date: local", "tasks.notes: text",
        ] {
            #expect(lines.contains(line), "\(line) of \(lines)")
        }
        #expect(schema.collection("habit_completions")?.elements?.key.members == ["habit_id", "date"])
        #expect(schema.collection("day_plan_items")?.elements?.key.members == ["date", "entity_type", "entity_id"])
    }

    @Test func `GymPulse's presets have an order`() throws {
        #expect(told(try Schemas.presets()) == ["format: local", "version: local", "presets: list"])
    }

    @Test(arguments: [
        (#"{"properties":{"a":{"x-merge":"sett"}}}"#, "/properties/a/x-merge"),
        (#"{"properties":{"a":{"x-merge":3}}}"#, "/properties/a/x-merge"),
        (#"{"properties":{"a":{"type":"array","items":{"properties":{}}}}}"#, "/properties/a"),
        (#"{"properties":{"a":{"properties":{"b":{}}}}}"#, "/properties/a"),
        (#"{"properties":{"a":{"x-merge":"records","items":{}}}}"#, "/properties/a"),
        (#"{"properties":{"a":{"x-merge":"records","items":{"properties":{"b":{}}}}}}"#, "/properties/a/x-key"),
        (
            #"{"properties":{"a":{"x-merge":"list","x-key":["b","c"],"items":{"properties":{"b":{}}}}}}"#,
            "/properties/a/x-key"
        ),
        (#"{"properties":{"a":{"x-merge":"set","x-group":"g"}}}"#, "/properties/a/x-group"),
        (#"{"properties":{"a":{"x-merge":"max","x-order":1}}}"#, "/properties/a/x-order"),
        (##"{"properties":{"a":{"$ref":"#/$defs/none"}}}"##, "/properties/a"),
        (##"{"properties":{"a":{"$ref":"#/properties/a"}}}"##, "/properties/a"),
        (
            ##"{"properties":{"a":{"x-merge":"record","$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{"b":{"x-merge":"records"}}}}}"##,
            "/properties/a/properties/b/x-merge"
        ),
        (
            ##"{"$defs":{"a":{"properties":{"id":{},"b":{"x-merge":"list","items":{"$ref":"#/$defs/a"}}}}},"properties":{"c":{"x-merge":"list","items":{"$ref":"#/$defs/a"}}}}"##,
            ""
        ),
    ])
    func `what is wrong is named with its place`(text: String, pointer: String) throws {
        let schema = try json(text)
        let error = #expect(throws: MergeSchemaError.self) { try MergeSchema(reading: schema) }
        #expect(error?.pointer.description.hasPrefix(pointer) == true, "\(String(describing: error))")
        #expect(error?.message.isEmpty == false)
    }

    @Test func `a document is taken apart and put together again`() throws {
        let schema = try Schemas.slate()
        let document = try json(
            #"{"schema_version":2,"exported_at":"x","meta":{"day_start":"04:00"},"tasks":[{"id":"b"},{"id":"a"},{"id":"b"}],"#
                + #""habits":[],"habit_completions":[{"id":"1","habit_id":"h","date":"d"}],"own":{"x":1}}"#
        )
        let records = try schema.records(of: document)
        #expect(records.order["tasks"] == ["b", "a", "b\n2"])
        #expect(records[RecordKey("habit_completions", #"["h","d"]"#)] != nil)
        #expect(schema.document(of: records) == document)
    }

    @Test(arguments: [#"[]"#, #"{"tasks":{}}"#, #"{"tasks":[1]}"#, #"{"meta":[]}"#])
    func `what is no document is refused`(text: String) throws {
        let schema = try Schemas.slate()
        let document = try json(text)
        #expect(throws: MergeInputError.self) { try schema.records(of: document) }
    }
}
