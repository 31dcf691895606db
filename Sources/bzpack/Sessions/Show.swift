internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import StrictJSON

extension Bzpack {
    struct Show: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a session block by block.",
            discussion: """
                As JSON it is shown the way a .bztimer file holds it, unknown members included. With --html it is one page that \
                loads nothing, to look at or to print: bzpack show --html NAME > session.html. With --as text it is text that \
                "bzpack new --file" reads back.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Write a page of HTML: a bar, the blocks and the total.")
        var html = false

        @Option(name: .customLong("as"), help: "Show a table, or text that can be edited and mailed.")
        var form: Form = .table

        enum Form: String, CaseIterable, ExpressibleByArgument {
            case table, text
        }

        @Argument(help: ArgumentHelp("The session.", valueName: "name|id"), completion: .sessions)
        var session: String

        func validate() throws {
            if form == .text, html || output.format == .json {
                throw ValidationError(Messages.textExcludes)
            }
            if html, output.format == .json { throw ValidationError(Messages.exclude("--html", "--format json")) }
        }

        func run() throws {
            let found = try Selection(store.reading().read { try $0.sessions() })(session)
            if html { return try StandardOutput.shared.write(SessionPage(found).html) }
            // A text that is copied from the terminal is one that "new --file" reads.
            if form == .text { return try StandardOutput.shared.write(SessionText(found).text) }
            try output.print(Self.text(found), found.json)
        }

        static func text(_ session: SessionTemplate) -> String {
            var lines = [session.name, "id: \(session.id)"]
            if let tags = session.tags, !tags.isEmpty { lines.append("tags: \(tags.joined(separator: ", "))") }
            let days = Words.weekdays(session.scheduledDaysOfWeek)
            if !days.isEmpty { lines.append("days: \(days)") }
            lines.append("length: \(Words.length(session.totalSeconds))")
            let unknown = unknownCount(session.extra) + session.items.reduce(0) { $0 + unknownCount($1.extra) }
            if unknown > 0 { lines.append("unknown members, kept: \(unknown)") }

            var table = TextTable([
                .right("#"), .right("START"), .fixed("TYPE"), .left("LABEL"), .fixed("TIMING"), .left("CATEGORY"),
                .left("NOTES"),
            ])
            var start: Int? = 0
            for (index, block) in session.items.enumerated() {
                table.add([
                    "\(index + 1)", Words.position(start), block.kind.rawValue, block.label, Words.timing(block.timing),
                    block.category ?? "", block.notes ?? "",
                ])
                start = sum(start, block.timing.totalSeconds)
            }
            return lines.map { TerminalText.safe($0) + "\n" }.joined() + "\n" + table.render()
        }

        /// Returns the number of unknown members, without those parked for another version.
        private static func unknownCount(_ members: JSONObject) -> Int {
            members.count - (members["x-preserved"] == nil ? 0 : 1)
        }

        private static func sum(_ left: Int?, _ right: Int?) -> Int? {
            guard let left, let right else { return nil }
            let (sum, overflow) = left.addingReportingOverflow(right)
            return overflow ? nil : sum
        }
    }
}
