import BZTimer
import CivilTime
import FormatKit
import StrictJSON
import Testing

@Suite struct ImportPlanTests {
    private func plan(
        _ file: BztimerFile,
        _ plan: Plan,
        sessions: [SessionTemplate] = [],
        activities: [BlockTemplate] = [],
        custom: [String] = [],
        allowsDuplicates: Bool = false
    ) -> ImportPlan {
        var state = ImportState(
            settings: Samples.settings(plan, custom: custom),
            sessions: sessions,
            activities: activities
        )
        return ImportPlan(importing: file, into: &state, allowsDuplicates: allowsDuplicates, newID: Samples.ids())
    }

    private func lines(_ plan: ImportPlan) -> [String] { plan.actions.map(\.description) }

    // MARK: One session in three versions

    @Test(arguments: ["leg-day", "morning-stretch"], Plan.allCases)
    func everyVersionGivesTheSameSession(name: String, plan: Plan) throws {
        let imported = try (1...BztimerFormat.currentVersion).map { version in
            let reading = BztimerFormat.read(try Fixtures.bytes("v\(version)/\(name).json"))
            return self.plan(try #require(reading.content), plan).sessions
        }
        #expect(imported[0].count == 1)
        for (older, newer) in zip(imported, imported.dropFirst()) { #expect(older == newer) }
    }

    @Test func theSecondVersionOfAnImportedFileIsSkipped() throws {
        for plan in Plan.allCases {
            var state = ImportState(settings: Samples.settings(plan), sessions: [], activities: [])
            var verbs: [ImportAction.Verb] = []
            for version in 1...BztimerFormat.currentVersion {
                let file = try #require(BztimerFormat.read(try Fixtures.bytes("v\(version)/leg-day.json")).content)
                let step = ImportPlan(importing: file, into: &state, newID: Samples.ids())
                verbs += step.actions.filter { $0.subject == .session }.map(\.verb)
            }
            #expect(verbs == [.create] + Array(repeating: .skip, count: BztimerFormat.currentVersion - 1))
            #expect(state.sessionCount == 1)
        }
    }

    // MARK: Categories

    @Test func freeMapsCustomCategoriesToUncategorized() {
        let session = Samples.session(
            "A",
            [Samples.block("1", category: "Knee"), Samples.block("2", category: "study")]
        )
        let plan = plan(Samples.file([session]), .free, custom: ["Knee"])
        #expect(plan.sessions[0].items.map(\.category) == ["Uncategorized", "Study"])
        #expect(plan.addedCategories == [])
        #expect(
            lines(plan) == [
                "remap category \"1\": \"Knee\" becomes \"Uncategorized\", because custom categories are a Pro feature "
                    + "(at /sessions/0/items/0/category)",
                "remap category \"2\": \"study\" is the built-in category \"Study\" (at /sessions/0/items/1/category)",
                "create session \"A\": 2 blocks, 2 min (at /sessions/0)",
            ]
        )
    }

    @Test func proAddsCustomCategoriesOnce() {
        let blocks = ["Knee", "KNEE", "cafe\u{301}", "EXERCISE", nil].map { Samples.block($0 ?? "none", category: $0) }
        let plan = plan(Samples.file([Samples.session("A", blocks)]), .pro, custom: ["Café"])
        #expect(plan.sessions[0].items.map(\.category) == ["Knee", "Knee", "Café", "Exercise", nil])
        #expect(plan.addedCategories == ["Knee"])
        #expect(
            lines(plan) == [
                "create category \"Knee\": \"Knee\" is new and is added to the custom categories "
                    + "(at /sessions/0/items/0/category)",
                "remap category \"KNEE\": \"KNEE\" is the custom category \"Knee\" (at /sessions/0/items/1/category)",
                "remap category \"cafe\u{301}\": \"cafe\u{301}\" is the custom category \"Café\" "
                    + "(at /sessions/0/items/2/category)",
                "remap category \"EXERCISE\": \"EXERCISE\" is the built-in category \"Exercise\" "
                    + "(at /sessions/0/items/3/category)",
                "create session \"A\": 5 blocks, 5 min (at /sessions/0)",
            ]
        )
    }

    @Test func pointersAreThoseOfTheFile() throws {
        for (version, place) in [(1, "/items/2/x-preserved"), (2, "/session/items/2/category")] {
            let reading = BztimerFormat.read(try Fixtures.bytes("v\(version)/leg-day.json"))
            let file = try #require(reading.content)
            var state = ImportState(settings: Samples.settings(.free), sessions: [], activities: [])
            let plan = ImportPlan(importing: file, into: &state, origin: reading.origin, newID: Samples.ids())
            let remap = try #require(plan.actions.first { $0.verb == .remap })
            #expect(remap.pointer.description == (version == 1 ? "/items/2/category" : place))
            #expect(reading.position(of: remap.pointer) != nil)
            #expect(plan.actions.last?.pointer.description == (version == 1 ? "" : "/session"))
        }
    }

    @Test func whatIsSkippedOrRefusedAddsNoCategory() {
        let session = Samples.session("A", [Samples.block(category: "Knee")])
        #expect(plan(Samples.file([session]), .pro, sessions: [session]).addedCategories == [])
        let full = (1...20).map { Samples.activity("\($0)") }
        let refused = plan(Samples.file([], [Samples.activity("x", category: "study")]), .free, activities: full)
        #expect(refused.actions.map(\.verb) == [.refuse])
    }

    // MARK: Identifiers

    @Test func sessionAndBlocksGetNewIdentifiers() {
        let plan = plan(Samples.file([Samples.session("A", [Samples.block("1"), Samples.block("2")])]), .free)
        #expect(plan.sessions[0].id == "new-1")
        #expect(plan.sessions[0].items.map(\.id) == ["new-2", "new-3"])
    }

    // MARK: Updates

    private func update(_ stored: [SessionTemplate], _ file: BztimerFile) -> ImportPlan {
        var state = ImportState(settings: Samples.settings(.pro), sessions: stored, activities: [])
        return ImportPlan(importing: file, into: &state, updates: true, newID: Samples.ids())
    }

    @Test func aSessionWithDaysOfOnesOwnIsTheOneThatTheFileHas() throws {
        var own = Samples.session("Workout", [Samples.block("Row")], days: [2])
        own.id = "own"
        own.items[0].notes = "slow"
        let (row, run) = (Samples.session("Workout", [Samples.block("Row")]), Samples.session("Workout"))
        for file in [[run, row], [row, run]] {
            let plan = update([own], Samples.file(file))
            #expect(plan.replacements.isEmpty && plan.sessions.map(\.items[0].label) == ["Run"])
            #expect(plan.sessionIds["session-Workout"] != nil && plan.count(.skip) == 1)
        }
        // It is known also among several of its name, so that an update changes nothing a second time.
        var other = run
        other.id = "other"
        other.scheduledDaysOfWeek = [3]
        #expect(update([own, other], Samples.file([run, row])).count(.skip) == 2)
        #expect(update([own], Samples.file([run])).replacements.map(\.id) == ["own"])
    }

    @Test func aFileWhoseSessionOnesOwnContainsIsSkippedWithoutAnUpdateToo() {
        var own = Samples.session("Workout", days: [2])
        own.id = "own"
        #expect(lines(plan(Samples.file([Samples.session("Workout")]), .pro, sessions: [own])).count == 1)
        #expect(plan(Samples.file([Samples.session("Workout")]), .pro, sessions: [own]).count(.skip) == 1)
        // One that the file has beside it is another one, and a person's own data come as they are.
        let both = Samples.file([own, Samples.session("Workout")])
        #expect(plan(both, .pro, sessions: [own]).sessions.map(\.scheduledDaysOfWeek) == [nil])
        let again = plan(Samples.file([Samples.session("Workout")]), .pro, sessions: [own], allowsDuplicates: true)
        #expect(again.sessions.count == 1)
    }

    @Test func onFreeAnUpdateLeavesTheCategoriesThatTheFileHasToo() {
        let file = Samples.session("Workout", [Samples.block("Row", category: "Yoga"), Samples.block("Run")])
        var own = file
        own.id = "own"
        own.scheduledDaysOfWeek = [2]
        own.items[0].notes = "slow"
        var state = ImportState(settings: Samples.settings(.free), sessions: [own], activities: [])
        let same = ImportPlan(importing: Samples.file([file]), into: &state, updates: true, newID: Samples.ids())
        #expect(same.actions.map(\.verb) == [.skip], "\(lines(same))")
        var longer = file
        longer.items[1].timing = .duration(seconds: 70)
        longer.items.append(Samples.block("Bow", category: "Yoga"))
        let plan = ImportPlan(importing: Samples.file([longer]), into: &state, updates: true, newID: Samples.ids())
        #expect(plan.replacements.isEmpty && plan.sessions.count == 1)
        state = ImportState(settings: Samples.settings(.free), sessions: [own], activities: [])
        let update = ImportPlan(importing: Samples.file([longer]), into: &state, updates: true, newID: Samples.ids())
        #expect(update.replacements.first?.items.map(\.category) == ["Yoga", "Exercise", "Uncategorized"])
        #expect(update.actions.map(\.verb) == [.remap, .update], "\(lines(update))")
        #expect(update.actions[0].name == "Bow")
    }

    @Test func blocksOfOneLabelThatChangedPlacesKeepTheirNotes() {
        func block(_ id: String, _ label: String, _ seconds: Int, _ notes: String? = nil) -> BlockInstance {
            var block = Samples.block(label)
            (block.id, block.timing, block.notes) = (id, .duration(seconds: seconds), notes)
            return block
        }
        let own = Samples.session(
            "Run",
            [block("1", "Run", 60, "slow"), block("2", "Walk", 30), block("3", "Run", 90)]
        )
        let turned = Samples.session("Run", [block("x", "Run", 90), block("y", "Walk", 30), block("z", "Run", 60)])
        let items = update([own], Samples.file([turned])).replacements.first?.items
        #expect(items?.map(\.id) == ["3", "2", "1"] && items?.map(\.notes) == [nil, nil, "slow"])
        // Of those that have another length too the order tells.
        let longer = Samples.session("Run", [block("x", "Run", 70), block("y", "Walk", 30), block("z", "Run", 95)])
        #expect(update([own], Samples.file([longer])).replacements.first?.items.map(\.id) == ["1", "2", "3"])
    }

    @Test func anUpdateKnowsASessionByItsUUIDFirst() {
        let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
        var own = Samples.session("Workout")
        own.id = id
        var renamed = Samples.session("Legs", [Samples.block("Row")])
        renamed.id = id
        let plan = update([own], Samples.file([Samples.session("Workout", [Samples.block("Swim")]), renamed]))
        #expect(plan.replacements.map(\.name) == ["Legs"] && plan.replacements.map(\.id) == [id])
        #expect(plan.sessions.map(\.name) == ["Workout"])
        #expect(plan.actions.contains { $0.reason.contains("the name changes from \"Workout\" to \"Legs\"") })
        // One such as "1" says nothing beyond its file.
        own.id = "1"
        renamed.id = "1"
        #expect(update([own], Samples.file([renamed])).replacements.isEmpty)
    }

    @Test func anUpdateKeepsLinksAndNamesWhatMoves() {
        func block(_ id: String, _ label: String, _ link: String?) -> BlockInstance {
            var block = Samples.block(label, templateId: link)
            block.id = id
            return block
        }
        let own = Samples.session("Legs", [block("1", "Row", "library-row"), block("2", "Run", nil)])
        // The file's identifiers are its own, and its link leads nowhere here.
        var new = Samples.session("Legs", [block("1", "Run", nil), block("2", "Row", "elsewhere")])
        new.items[1].timing = .duration(seconds: 70)
        let plan = update([own], Samples.file([new]))
        let items = plan.replacements[0].items
        #expect(items.map(\.id) == ["2", "1"] && items.map(\.templateId) == [nil, "library-row"])
        #expect(plan.actions.map(\.verb) == [.update])
        let reason = "; the order of blocks changes; lengths change: \"Row\" from 1 min to "
        #expect(plan.actions[0].reason.contains(reason), "\(plan.actions[0].reason)")
        let activity = Samples.activity("Row")
        new.items[1].templateId = activity.id
        let relinked = update([own], Samples.file([new], [activity]))
        #expect(relinked.replacements[0].items[1].templateId == relinked.activities[0].id)
        #expect(relinked.actions.contains { $0.reason.contains("; links to saved activities change: \"Row\"") })
    }

    @Test func anActivityHasTheIdentifierOfItsContentOnce() {
        func plan(_ stored: [BlockTemplate] = [], _ id: String = "a", _ label: String = "Read") -> ImportPlan {
            var state = ImportState(settings: Samples.settings(.pro), sessions: [], activities: stored)
            var activity = Samples.activity(label)
            activity.id = id
            let session = Samples.session("A", [Samples.block("1", templateId: id)])
            let file = Samples.file([session], [activity])
            return ImportPlan(importing: file, into: &state, derivesIds: true, newID: Samples.ids())
        }
        let first = plan()
        let id = first.activities[0].id
        #expect(id.count == 36 && Array(id)[14] == "8")
        #expect(first.sessions[0].id == "new-1" && first.sessions[0].items[0].templateId == id)
        // On another device, to which the file's own identifiers are others, it is the same.
        #expect(plan([], "elsewhere").activities == first.activities)
        #expect(plan([], "elsewhere", "Write").activities[0].id != id)
        // Where it is taken, as the activity was changed, it is a new one.
        var changed = first.activities[0]
        changed.label = "Read more"
        #expect(plan([changed]).activities[0].id == "new-1")
    }

    @Test func templateIdIsKeptOnlyWhereItResolves() {
        let blocks = [
            Samples.block("own", templateId: "activity-Read"), Samples.block("store", templateId: "activity-Old"),
            Samples.block("known", templateId: "activity-Same"), Samples.block("gone", templateId: "nowhere"),
        ]
        var same = Samples.activity("Same")
        same.id = "other-id"
        let file = Samples.file([Samples.session("A", blocks)], [Samples.activity("Read"), Samples.activity("Same")])
        let plan = plan(file, .free, activities: [Samples.activity("Old"), same])
        #expect(plan.activities.map(\.id) == ["new-1"])
        #expect(plan.sessions[0].items.map(\.templateId) == ["new-1", "activity-Old", "other-id", nil])
        #expect(
            lines(plan) == [
                "create activity \"Read\": 1 min (at /activities/0)",
                "skip activity \"Same\": the library has it already as \"Same\" (at /activities/1)",
                "remap template \"gone\": no saved activity has the id \"nowhere\", so the block stands for itself "
                    + "(at /sessions/0/items/3/templateId)",
                "create session \"A\": 4 blocks, 4 min (at /sessions/0)",
            ]
        )
    }

    // MARK: Identical content

    @Test func identicalContentIsSkippedAndNamed() {
        let stored = Samples.session("A")
        var shared = stored
        shared.id = "elsewhere"
        shared.items[0].id = "b9"
        let file = Samples.file([shared, Samples.session("B"), Samples.session("B")])
        let plan = plan(file, .pro, sessions: [stored])
        #expect(
            lines(plan) == [
                "skip session \"A\": the store has it already as \"A\" (session-A) (at /sessions/0)",
                "create session \"B\": 1 block, 1 min (at /sessions/1)",
                "skip session \"B\": the store has it already as \"B\" (new-1) (at /sessions/2)",
            ]
        )
        let again = self.plan(file, .pro, sessions: [stored], allowsDuplicates: true)
        #expect(again.count(.create, .session) == 3)
        #expect(again.count(.skip) == 0)
    }

    @Test func whatWasRemappedIsRecognised() {
        let file = Samples.file([Samples.session("A", [Samples.block(category: "Knee")])])
        let first = plan(file, .free)
        #expect(plan(file, .free, sessions: first.sessions).actions.map(\.verb) == [.skip])
        // After an upgrade the same file is another content, as it now keeps its category.
        #expect(plan(file, .pro, sessions: first.sessions).count(.create, .session) == 1)
        // And what a Pro user imported is recognised after a downgrade.
        let pro = plan(file, .pro)
        #expect(plan(file, .free, sessions: pro.sessions, custom: ["Knee"]).actions.map(\.verb) == [.skip])
    }

    // MARK: Limits

    @Test func freeAllowsUpToFiveSessions() {
        let stored = (1...4).map { Samples.session("\($0)") }
        let plan = plan(Samples.file([Samples.session("5"), Samples.session("6"), stored[0]]), .free, sessions: stored)
        #expect(
            lines(plan) == [
                "create session \"5\": 1 block, 1 min (at /sessions/0)",
                "refuse session \"6\": Free plan allows up to 5 sessions. (at /sessions/1)",
                "skip session \"1\": the store has it already as \"1\" (session-1) (at /sessions/2)",
            ]
        )
        let over = (1...9).map { Samples.session("\($0)") }
        #expect(self.plan(Samples.file([Samples.session("x")]), .free, sessions: over).actions.map(\.verb) == [.refuse])
        #expect(self.plan(Samples.file([Samples.session("x")]), .pro, sessions: over).actions.map(\.verb) == [.create])
    }

    @Test func freeAllowsUpToTwentyActivities() {
        let stored = (1...19).map { Samples.activity("\($0)") }
        let file = Samples.file(
            [Samples.session("A", [Samples.block(templateId: "activity-21")])],
            [Samples.activity("20"), Samples.activity("21")]
        )
        let plan = plan(file, .free, activities: stored)
        #expect(plan.activities.map(\.label) == ["20"])
        #expect(
            plan.actions[1].description
                == "refuse activity \"21\": Free plan allows up to 20 saved activities. (at /activities/1)"
        )
        #expect(plan.sessions[0].items[0].templateId == nil)
        #expect(self.plan(file, .pro, activities: stored).activities.count == 2)
    }

    @Test func limitsAndMessages() {
        #expect(Plan.free.refusalToAddSession(to: 4) == nil)
        #expect(Plan.free.refusalToAddSession(to: 5) == "Free plan allows up to 5 sessions.")
        #expect(Plan.free.refusalToAddActivity(to: 19) == nil)
        #expect(Plan.free.refusalToAddActivity(to: 20) == "Free plan allows up to 20 saved activities.")
        #expect(Plan.pro.refusalToAddSession(to: 1000) == nil)
        #expect(Plan.pro.refusalToAddActivity(to: 1000) == nil)
        #expect(Plan.pro.refusalToExport == nil)
        #expect(Plan.free.refusalToExport == "Exporting sessions is a Pro feature; importing them is free.")
    }

    // MARK: Unknown members

    @Test func unknownMembersComeAlong() throws {
        let file = try #require(BztimerFormat.read(try Fixtures.bytes("v3/unknown-members.json")).content)
        let plan = plan(file, .pro)
        #expect(plan.envelope["locale"] == "de-CH")
        #expect(plan.sessions[0].extra["coach"] == ["id": "c-1"])
        #expect(plan.sessions[0].items[0].extra["intensity"]?.number?.token == "0.80")
        #expect(plan.activities[0].extra["popularity"]?.number?.token == "1e-07")
        let exported = BztimerFile(
            exporting: plan.sessions,
            activities: plan.activities,
            generator: "test",
            exportedAt: Timestamp(seconds: 0),
            extra: plan.envelope
        )
        #expect(ContentDigest(of: exported) == ContentDigest(of: file))
    }

    @Test func actionsAsJSON() {
        let plan = plan(Samples.file([Samples.session("A", [Samples.block(category: "Knee")])]), .pro)
        #expect(
            plan.actions.map { $0.json(isDryRun: false) } == [
                [
                    "action": "create", "subject": "category", "name": "Knee", "category": "Knee",
                    "reason": "\"Knee\" is new and is added to the custom categories",
                    "pointer": "/sessions/0/items/0/category",
                ],
                [
                    "action": "create", "subject": "session", "name": "A", "reason": "1 block, 1 min",
                    "pointer": "/sessions/0", "id": "new-1",
                ],
            ]
        )
    }
}
