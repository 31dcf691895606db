internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the sessions of the store."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let (sessions, plan) = try store.reading().read { (try $0.sessions(), try $0.settings().plan) }
            try output.print(Self.text(sessions, plan), Self.json(sessions, plan))
        }

        static func text(_ sessions: [SessionTemplate], _ plan: Plan) -> String {
            guard !sessions.isEmpty else { return "The store has no sessions.\n" }
            var table = TextTable([.left("NAME"), .right("BLOCKS"), .right("LENGTH"), .fixed("DAYS"), .fixed("ID")])
            for session in sessions.sorted(by: { NaturalOrder.precedes($0.name, $1.name) }) {
                table.add([
                    TerminalText.cut(session.name, to: Words.nameColumns),
                    "\(session.items.count)",
                    Words.length(session.totalSeconds),
                    Words.weekdays(session.scheduledDaysOfWeek),
                    session.id,
                ])
            }
            guard let limit = plan.sessionLimit, sessions.count >= limit else { return table.render() }
            return table.render() + "\nFree plan: Up to \(limit) saved sessions.\n"
        }

        static func json(_ sessions: [SessionTemplate], _ plan: Plan) -> JSONValue {
            [
                "plan": .string(plan.rawValue),
                "sessions": .array(sessions.map(summary)),
            ]
        }

        private static func summary(_ session: SessionTemplate) -> JSONValue {
            [
                "id": .string(session.id),
                "name": .string(session.name),
                "blocks": .number(session.items.count),
                "totalSeconds": session.totalSeconds.map { .number($0) } ?? .null,
                "tags": .array((session.tags ?? []).map(JSONValue.string)),
                "scheduledDaysOfWeek": .array((session.scheduledDaysOfWeek ?? []).map { .number($0) }),
            ]
        }
    }
}
