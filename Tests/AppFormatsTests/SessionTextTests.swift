import BZTimer
import StrictJSON
import TestSupport
import Testing

@Suite("Sessions as text")
struct SessionTextTests {
    @Test("A Tabata on one line has its blocks written out")
    func tabata() throws {
        let text = try SessionText(parsing: "transition: Get ready 10 s / 8 x (Work 20 s / Rest 10 s)")
        #expect(text.blocks.count == 17)
        #expect(text.blocks[0].kind == .transition)
        #expect(text.blocks[1].kind == .activity && text.blocks[2].kind == .rest)
        #expect(text.blocks.last?.timing == .duration(seconds: 10))
        #expect(text.text == "transition: Get ready 10 s\n8 x (\n  Work 20 s\n  Rest 10 s\n)\n")
    }

    @Test("Groups nest, and the head names tags and days")
    func nested() throws {
        let text = try SessionText(
            parsing: """
                name: Leg day
                tags: strength, legs
                days: thu, Monday
                2 x (3 x (Squats 12 x 3 s [Exercise] / Rest 0:30) / rest: Water 1 min 30 s)
                "Hip / opener" 1:00 -- slow\\nand deep
                """
        )
        #expect(text.name == "Leg day" && text.tags == ["strength", "legs"] && text.days == [1, 4])
        #expect(text.blocks.count == 15)
        #expect(text.blocks[0].timing == .reps(count: 12, secondsEach: 3) && text.blocks[0].category == "Exercise")
        #expect(text.blocks[6].label == "Water" && text.blocks[6].timing == .duration(seconds: 90))
        #expect(text.blocks[14].label == "Hip / opener" && text.blocks[14].notes == "slow\nand deep")
    }

    @Test("Days and tags end at a slash between blanks, and a name may have one")
    func headOnOneLine() throws {
        let text = try SessionText(parsing: "days: Mon Mon / tags: legs, 1/2 / Work 1 s / Rest 2 s")
        #expect(text.days == [1] && text.tags == ["legs", "1/2"])
        #expect(text.blocks.map(\.label) == ["Work", "Rest"])
        #expect(try SessionText(parsing: text.text) == text, "\(text.text)")
        let named = try SessionText(parsing: "name: Hip / opener\ndays: Thu /\nWork 1 s")
        #expect(named.name == "Hip / opener" && named.days == [4] && named.blocks.count == 1)
    }

    @Test("Days are names, of which three letters are enough, and ranges of them")
    func days() throws {
        let texts = [
            ("Mon-Fri", [1, 2, 3, 4, 5]), ("Sat–Mon", [1, 6, 7]), ("Tues, Thursdays", [2, 4]),
            ("wed. fri-fri", [3, 5]),
        ]
        for (text, days) in texts {
            #expect(try SessionText(parsing: "days: \(text) / Work 20 s").days == days, "\(text)")
        }
    }

    @Test("Metres before a length, and minutes behind hours, are what they look like")
    func metres() throws {
        let texts: [(String, String, Int)] = [
            ("Row 500 m 2 min", "Row 500 m", 120), ("\"Row 500 m\" 30 s", "Row 500 m", 30),
            ("\"Work 20 s, hard\" 20 s", "Work 20 s, hard", 20), ("Walk 1 h 5 m", "Walk", 3_900),
            ("Walk 1 h 5 m 3 s", "Walk", 3_903), ("5 S-curves 10 s", "5 S-curves", 10),
            ("A4 sheet 10 s", "A4 sheet", 10),
        ]
        for (text, label, seconds) in texts {
            let block = try SessionText(parsing: text).blocks.first
            #expect(block?.label == label && block?.timing == .duration(seconds: seconds), "\(text)")
        }
    }

    static let faults: [(text: String, line: Int, message: String)] = [
        ("", 1, "found no block"), ("Plank", 1, "expected a length"), ("20 s", 1, "expected a name"),
        ("Plank 20", 1, "expected a length"), ("A 10 s\n3 x (\nB 5 s", 2, "expected one"),
        ("A 10 s)", 1, "without"), ("2 x ()", 1, "empty group"), ("Plank 0 s", 1, "expected 1 to"),
        ("rest: Water 10 s [Exercise]", 1, "which has none"), ("days: Someday\nA 1 s", 1, "expected Mon"),
        ("99999 x (A 1 s)", 1, "more than"), ("1000000 x (A 1 s)", 1, "more than 10000 blocks"),
        ("99999999999999999999 x (A 1 s)", 1, "more than 10000 blocks"),
        ("0 x (A 1 s)", 1, "found a group that runs 0 times"),
        ("days: Mon / Tue", 1, "expected a length"), ("A 1 s {size=3}", 1, "expected color"), ("\"A 1 s", 1, "quotes"),
        ("9 x (9 x (9 x (9 x (9 x (A 1 s)))))", 1, "more than"),
        ("A 1 s\nWork 20 s -- hard / Rest 10 s", 2, "expected notes in quotes"),
        ("name: \\\nA 1 s", 1, "found no name"),
        // What would have another meaning than the person sees.
        ("A 1 s\nRow 500 m / Rest 1 min", 2, "such as \"Row 500 m\" 2 min"), ("Carry 4 x 40 m", 1, "found \"40 m\""),
        ("Sprint 50 m 30 s", 1, "which may be metres"), ("Plank 5m", 1, "expected min"),
        ("8 x (Work 20 s, Rest 10 s)", 1, "\"20 s\" in the name \"Work 20 s, Rest\""),
        ("Work 20 s/Rest 10 s", 1, "stands in quotes"), ("Work 1:30; Rest 10 s", 1, "the length \"1:30\""),
        ("Work 20s | Rest 10 s", 1, "the length \"20s\""), ("Squats 12 x 3 s + Rest 10 s", 1, "the length \"3 s\""),
        ("Row 500 m, Rest 10 s", 1, "the length \"500 m\""),
        ("days: Mon/Wed/Fri / A 1 s", 1, "the day \"Mon/Wed/Fri\""), ("days: Monat\nA 1 s", 1, "expected Mon"),
        ("days: Sunset\nA 1 s", 1, "or Mon-Fri"), ("days: Mon-\nA 1 s", 1, "the day \"Mon-\""),
        ("Tabata: 8 x (Work 20 s / Rest 10 s)", 1, "found \"(\" behind \"Tabata: 8 x\""),
        ("A (left) 20 s", 1, "found \"(\" behind \"A\""),
    ]

    @Test("A text that is no session is refused with its line", arguments: faults)
    func refused(_ fault: (text: String, line: Int, message: String)) throws {
        let error = try #require(throws: SessionTextError.self) { try SessionText(parsing: fault.text) }
        #expect(error.line == fault.line)
        #expect(error.message.contains(fault.message), "\(error.message)")
    }

    @Test("Notes with a slash swallow no block: they are in quotes, and written so")
    func notesWithASlash() throws {
        let text = try SessionText(
            parsing: "2 x (Work 20 s -- \"hard / \\\"fast\\\"\" / Rest 10 s -- \"easy 1/2\") / Walk 1 min"
        )
        #expect(text.blocks.map(\.label) == ["Work", "Rest", "Work", "Rest", "Walk"])
        #expect(text.blocks[0].notes == "hard / \"fast\"")
        #expect(try SessionText(parsing: text.text) == text, "\(text.text)")
        // A note that only begins with a quotation is one to the end of its line.
        let quoting = try SessionText(parsing: "A 1 s -- \"easy\" pace\nB 1 s")
        #expect(quoting.blocks.map(\.notes) == ["\"easy\" pace", nil])
        #expect(try SessionText(parsing: quoting.text) == quoting, "\(quoting.text)")
    }

    @Test("Line ends and white space at the ends are escaped, and so are marks that would join the syntax")
    func escapes() throws {
        var block = BlockInstance(id: "b", label: "a\u{2028}b", kind: .activity, timing: .duration(seconds: 60))
        block.category = "\u{85}"
        block.notes = "first\r\nStretch 30 s"
        let session = SessionTemplate(id: "s", name: " Leg\u{A0}", items: [block], tags: ["\u{301}"])
        let text = SessionText(session).text
        let expected = """
            name: \\u{20}Leg\\u{a0}
            tags: %cc%81
            "a\\u{2028}b" 60 s [%c2%85] -- first\\r\\nStretch 30 s

            """
        #expect(text == expected, "\(text)")
        #expect(exact(try SessionText(parsing: text)) == exact(SessionText(session)))
        // What is no number of a character stands for itself, as does any other character behind a backslash.
        let odd = try SessionText(parsing: "A 1 s -- \\u \\u{} \\u{d800} \\u{110000} \\u{41 \\x \\u{41}")
        #expect(odd.blocks.first?.notes == "u u{} u{d800} u{110000} u{41 x A")
    }

    @Test("A block whose name alone is corrected stays itself; another one in its place is new")
    func relabelled() throws {
        func block(_ id: String, _ label: String, _ seconds: Int) -> BlockInstance {
            var block = BlockInstance(id: id, label: label, kind: .activity, timing: .duration(seconds: seconds))
            block.templateId = "t-\(id)"
            block.extra = ["rpe": 7]
            return block
        }
        let items = [block("a", "Sqats", 20), block("b", "Plank", 30), block("c", "Sqats", 20), block("d", "Row", 20)]
        let session = SessionTemplate(id: "s", name: "Legs", items: items)
        func edited(_ text: String) throws -> [BlockInstance] {
            try SessionText(parsing: text).session(changing: session, name: "Legs", newID: { "new" }).items
        }
        let corrected = try edited("Squats 20 s / Plank 30 s / Squats 20 s / Row 20 s")
        #expect(corrected.map(\.id) == ["a", "b", "c", "d"] && corrected.map(\.label).prefix(1) == ["Squats"])
        #expect(corrected.map(\.templateId) == items.map(\.templateId) && corrected.map(\.extra) == items.map(\.extra))
        // Another length is another block, and so is what may be one of several.
        #expect(try edited("Lunges 25 s / Plank 30 s / Sqats 20 s / Row 20 s").map(\.id) == ["new", "b", "c", "d"])
        #expect(try edited("Plank 30 s / Squats 20 s").map(\.id) == ["b", "new"])
        #expect(try edited("Planks 30 s / Sqats 20 s").map(\.id) == ["b", "c"])
    }

    @Test("Of equal blocks those that the text leaves alone stay themselves, wherever another one is renamed or goes")
    func equalBlocks() throws {
        func block(_ id: String, _ label: String, _ seconds: Int) -> BlockInstance {
            BlockInstance(
                id: id,
                label: label,
                kind: label == "Rest" ? .rest : .activity,
                timing: .duration(seconds: seconds),
                extra: ["weight": .string(id)]
            )
        }
        func edited(_ items: [BlockInstance], _ text: String) throws -> [String] {
            let session = SessionTemplate(id: "s", name: "Legs", items: items)
            let changed = try SessionText(parsing: text).session(changing: session, name: "Legs", newID: { "new" })
            for item in changed.items where item.id != "new" { #expect(item.extra["weight"]?.string == item.id) }
            return changed.items.map(\.id)
        }
        let sets = [
            block("a", "Squat", 40), block("r1", "Rest", 60), block("b", "Squat", 40), block("r2", "Rest", 70),
            block("c", "Squat", 40), block("r3", "Rest", 80),
        ]
        let all = ["a", "r1", "b", "r2", "c", "r3"]
        let renamed = "Squat 40 s / Rest 60 s / Lunge 40 s / Rest 70 s / Squat 40 s / Rest 80 s"
        #expect(try edited(sets, renamed) == all)
        let longer = "Squat 40 s / Rest 60 s / Squat 50 s / Rest 70 s / Squat 40 s / Rest 80 s"
        #expect(try edited(sets, longer) == all)
        let shorter = "Squat 40 s / Rest 60 s / Squat 40 s / Rest 80 s"
        #expect(try edited(sets, shorter) == ["a", "r1", "b", "r3"])
        let other = "Squat 40 s / Rest 60 s / Lunge 45 s / Rest 70 s / Squat 40 s / Rest 80 s"
        #expect(try edited(sets, other) == ["a", "r1", "new", "r2", "c", "r3"])
        // With nothing between them, and with another change behind.
        let plain = [block("a", "Squat", 40), block("b", "Squat", 40), block("c", "Squat", 40), block("d", "Row", 20)]
        #expect(try edited(plain, "Squat 40 s / Lunge 40 s / Squat 40 s / Row 30 s") == ["a", "b", "c", "d"])
        #expect(try edited(plain, "Squat 50 s / Squat 40 s / Squat 40 s / Row 20 s") == ["a", "b", "c", "d"])
        // Those of one label that changed places stay themselves, and so does one that is renamed between them.
        let ladder = [block("a", "Run", 40), block("b", "Walk", 30), block("c", "Run", 90)]
        #expect(try edited(ladder, "Run 90 s / Walk 30 s / Run 40 s") == ["c", "b", "a"])
        #expect(try edited(ladder, "Run 90 s / Stroll 30 s / Run 40 s") == ["c", "b", "a"])
        #expect(try edited(ladder, "Run 90 s / Stroll 35 s / Run 40 s") == ["c", "new", "a"])
        let turned = [block("a", "Squat", 40), block("r", "Rest", 60), block("b", "Lunge", 40)]
        #expect(try edited(turned, "Lunge 40 s / Rest 60 s / Squat 40 s") == ["b", "r", "a"])
        // A block that moved stays itself.
        #expect(try edited(plain, "Row 20 s / Squat 40 s / Squat 40 s / Squat 40 s") == ["d", "a", "b", "c"])
    }

    @Test("Thousands of blocks are matched by what they begin and end with, and by their content")
    func manyBlocks() throws {
        let items = (0..<6_000).map { index in
            BlockInstance(id: "\(index)", label: "Run \(index % 7)", kind: .activity, timing: .duration(seconds: 5))
        }
        let session = SessionTemplate(id: "s", name: "Long", items: items)
        var text = SessionText(session)
        text.blocks[0].timing = .duration(seconds: 6)
        text.blocks[5_999].timing = .duration(seconds: 6)
        let changed = text.session(changing: session, name: "Long", newID: { "new" })
        #expect(Set(changed.items.map(\.id)) == Set(items.map(\.id)))
    }

    /// Everything of a text, code point by code point, as Swift calls texts equal that differ in them.
    private func exact(_ text: SessionText) -> [UInt8] { Array(String(describing: text).utf8) }

    @Test("Days in another order are the same days, and stay as the session has them")
    func orderOfDays() throws {
        for days in [nil, [], [4], [4, 1], [1, 4]] {
            var session = SessionTemplate(id: "s", name: "Legs", items: [])
            session.scheduledDaysOfWeek = days
            let text = try SessionText(parsing: "days: Mon Thu\nWork 1 s")
            let changed = text.session(changing: session, name: "Legs", newID: { "new" })
            #expect(changed.scheduledDaysOfWeek == (days?.count == 2 ? days : [1, 4]))
            let none = try SessionText(parsing: "Work 1 s").session(changing: session, name: "Legs", newID: { "new" })
            #expect(none.scheduledDaysOfWeek == days.map { _ in [] })
        }
    }

    @Test("Whatever a session's blocks are called, its text reads back the same", arguments: 0..<200)
    func roundTrip(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let words = [
            "Plank", "Rest", "rest", "2", "x", "30 s", "Get ready", "(", ")", "/", "\"", "\\", "--", "a:b", "rest:",
            "[", "]",
            "{c}", "%", "name:", "1:30", "½", "ß", "8 x (", "m", "-", ",", "👍", "Don't", "s", "h",
            "", " ", "\r\n", "\r", "\n", "\t", "\u{B}", "\u{C}", "\0", "\u{85}", "\u{2028}", "\u{2029}", "\u{A0}",
            "\u{FEFF}", "\u{301}", "e\u{301}", "é", "\u{600}", "\u{200D}", "\u{202E}", "#️⃣", "\\n", "\\u{41}", "%41",
        ]
        func label() -> String {
            let separator = generator.chance(70) ? " " : ""
            let text = (0...generator.below(3)).map { _ in words[generator.below(words.count)] }
                .joined(separator: separator)
            return text.isEmpty ? " " : text
        }
        var session = SessionTemplate(id: "s", name: label(), items: [])
        session.tags = generator.chance(50) ? [label(), "b, c"] : nil
        session.scheduledDaysOfWeek = generator.chance(50) ? [1, 7] : nil
        for index in 0...generator.below(12) {
            let kind = BlockKind.allCases[generator.below(3)]
            var block = BlockInstance(
                id: "\(index)",
                label: label(),
                kind: kind,
                timing: generator.chance(50)
                    ? .duration(seconds: 1 + generator.below(90_000))
                    : .reps(count: 1 + generator.below(99), secondsEach: 1 + generator.below(99))
            )
            if kind == .activity, generator.chance(40) { block.category = label() }
            if generator.chance(30) { block.color = ["#ff00aa", "", "a=b"][generator.below(3)] }
            if generator.chance(30) { block.icon = generator.chance(20) ? "" : label() }
            if generator.chance(5) { block.label = "  " }
            if generator.chance(30) { block.notes = generator.chance(10) ? "" : label() }
            for _ in 0...generator.below(3) { session.items.append(block) }
        }
        let text = SessionText(session).text
        let read = try SessionText(parsing: text)
        #expect(exact(read) == exact(SessionText(session)), "\(text)")
        #expect(read.session(changing: session, name: "", newID: { "new" }) == session)
    }
}
