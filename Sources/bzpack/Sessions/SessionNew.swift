internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FileSystem

extension Bzpack {
    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Write a session by hand.",
            discussion: """
                A session is text, one block on each line or separated by " / ": a name and a length. The store is made where \
                there is none. For example:

                  bzpack new Tabata --text 'transition: Get ready 10 s / 8 x (Work 20 s / Rest 10 s)'

                Lengths: 20 s, 2 min, 1:30, 12 x 3 s. A block named Rest is a rest; "rest: Water 30 s" is one as well. \
                [Exercise] behind the length is a category, and -- begins notes. With --file the text may begin with lines \
                such as "name: Leg day", "tags: strength, legs" and "days: Mon Thu". Without a text your editor opens. A name \
                that another session has is refused, unless --allow-duplicates asks for a second one.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Add the session though another one has its name.")
        var allowDuplicates = false

        @Option(help: "The blocks.")
        var text: String?

        @Option(
            help: ArgumentHelp("Read the text from this file; - reads the input.", valueName: "path"),
            completion: .file()
        )
        var file: String?

        @Argument(help: ArgumentHelp("The session's name, unless the text has one."))
        var name: String?

        func validate() throws {
            if text != nil, file != nil { throw ValidationError(Messages.exclude("--text", "--file")) }
        }

        func run() throws {
            if let name, Words.isBlank(name) { throw CommandFailure(.usage, Messages.sessionNeedsName) }
            // Nobody is to type a text that is then refused.
            if let opened = try store.readingIfPresent() {
                try opened.read { records in
                    if let name { try checkName(name, among: records.sessions()) }
                    if text == nil, file == nil { try checkPlan(records) }
                }
            }
            let (session, remapped, argument, hasWarnings) = try withText(add)
            let length = Words.length(session.totalSeconds)
            let blocks = Words.count(session.items.count, "block")
            let lines =
                remapped + [
                    Messages.addedSession(session.name, argument, blocks, length, TimerProgram.name)
                ]
            try output.report(lines.map { TerminalText.safe($0) + "\n" }.joined(), session.json, isDryRun: false)
            if !remapped.isEmpty || hasWarnings { throw ExitStatus.findings.exitCode }
        }

        /// The session, lines on categories that it lost, the session as an argument, and whether the encoding of the
        /// text was guessed.
        private typealias Added = (
            session: SessionTemplate, remapped: [String], argument: String, hasWarnings: Bool
        )

        private func add(_ input: SessionTextInput) throws -> Added {
            var content = input.text
            guard let title = name ?? content.name else {
                throw CommandFailure(
                    .usage,
                    Messages.sessionNeedsNameOrLine
                )
            }
            content.name = title
            var session = content.session(name: title, newID: newIdentifier)
            return try store.writing(mustExist: false).write { records in
                try checkName(title, among: try records.sessions())
                try checkPlan(records)
                let remapped = try SessionCategories.settle(&session, records.settings(), records)
                try records.insert(session)
                return (session, remapped, session.argument(among: try records.sessions()), input.hasWarnings)
            }
        }

        /// - Throws: 77 where the plan allows no further session.
        private func checkPlan(_ records: BztimerRecords) throws {
            let count = try records.sessions().count
            if let refusal = try records.settings().plan.refusalToAddSession(to: count) {
                throw CommandFailure(.needsPro, refusal)
            }
        }

        /// - Throws: 64 where a session has the name, and no second one was asked for.
        private func checkName(_ name: String, among sessions: [SessionTemplate]) throws(CommandFailure) {
            guard !allowDuplicates, let other = sessions.first(where: { Categories.areSame($0.name, name) }) else {
                return
            }
            throw CommandFailure(
                .usage,
                Messages.sessionExists(other.name, other.argument(among: sessions), TimerProgram.name)
            )
        }

        /// Does something with the text that the person gives.
        private func withText<Result>(_ take: (SessionTextInput) throws -> Result) throws -> Result {
            if let text { return try take(SessionTextInput.parse(text, name: "--text")) }
            if let file { return try take(SessionTextInput.read(file)) }
            let example =
                "\(name.map { "name: \($0)\n" } ?? "name: My session\n")Get ready 10 s\n8 x (\n  Work 20 s\n  Rest 10 s\n)\n"
            return try SessionTextInput.edit(example, isExample: true, take)
        }
    }
}

extension SessionTemplate {
    /// The session as an argument of a command: its name where that names it alone and no shell reads anything into it, else
    /// its identifier.
    fileprivate func argument(among sessions: [SessionTemplate]) -> String {
        let isAlone = !sessions.contains { $0.id != id && Categories.areSame($0.name, name) }
        let isPlain =
            !name.hasPrefix("-")
            && !name.unicodeScalars.contains { "\"$`\\!".unicodeScalars.contains($0) || $0.value < 32 }
        return isAlone && isPlain ? "\"\(name)\"" : ShellText.quoted(id)
    }
}

/// Brings the categories of a session that a person wrote into line with the plan.
enum SessionCategories {
    /// Adds custom categories on the Pro plan; on the Free plan blocks lose them.
    ///
    /// - Returns: A line for each block that lost one.
    static func settle(
        _ session: inout SessionTemplate,
        _ settings: TimerSettings,
        _ records: BztimerRecords
    ) throws -> [String] {
        for index in session.items.indices {
            guard let category = session.items[index].category else { continue }
            let known =
                Categories.builtIn(matching: category)
                ?? settings.customCategories.first { Categories.areSame($0, category) }
            session.items[index].category = known ?? category
        }
        guard settings.plan == .pro || missing(in: session, settings).isEmpty else {
            return Bzpack.SessionGroup.Duplicate.remapCategories(&session)
        }
        _ = try add(of: session, settings, records)
        return []
    }

    private static func missing(in session: SessionTemplate, _ settings: TimerSettings) -> [String] {
        Categories.custom(in: [session], []).filter { name in
            !settings.customCategories.contains { Categories.areSame($0, name) }
        }
    }

    /// Adds the categories of a session that the settings lack, on the Pro plan; the Free plan has none.
    ///
    /// - Returns: The categories that were added.
    static func add(
        of session: SessionTemplate,
        _ settings: TimerSettings,
        _ records: BztimerRecords
    ) throws -> [String] {
        let added = missing(in: session, settings)
        guard !added.isEmpty, settings.plan == .pro else { return [] }
        var settings = settings
        for name in added {
            try Categories.check(new: name, existing: settings.customCategories, plan: settings.plan)
            settings.customCategories.append(name)
        }
        try records.save(settings, setting: "customCategories")
        return added
    }
}
