internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit

extension Bzpack.SessionGroup {
    struct Duplicate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "duplicate",
            abstract: "Add a copy of a session.",
            discussion: """
                On the Free plan a store takes up to 5 sessions, and custom categories become "Uncategorized" in the copy: \
                each is named, and the exit code is 3.
                """
        )

        @OptionGroup var store: StoreOption
        @Argument(help: ArgumentHelp("The session.", valueName: "name|id"), completion: .sessions) var session: String
        @Option(help: "The copy's name; by default the old one with \" (copy)\" behind it.") var name: String?

        func run() throws {
            if let name, Words.isBlank(name) { throw CommandFailure(.usage, Messages.sessionNeedsName) }
            let (copy, remapped) = try store.writing(mustExist: true).write { records in
                let sessions = try records.sessions()
                var copy = try Selection(sessions)(session)
                let plan = try records.settings().plan
                if let refusal = plan.refusalToAddSession(to: sessions.count) {
                    throw CommandFailure(.needsPro, refusal)
                }
                copy.name = name ?? "\(copy.name) (copy)"
                copy.id = newIdentifier()
                for index in copy.items.indices { copy.items[index].id = newIdentifier() }
                let remapped = plan == .free ? Self.remapCategories(&copy) : []
                try records.insert(copy)
                return (copy, remapped)
            }
            let lines = remapped.map { TerminalText.safe($0) + "\n" }.joined()
            try StandardOutput.shared.report(lines)
            try StandardOutput.shared.report(TerminalText.safe(Messages.added(copy.name, id: copy.id)) + "\n")
            if !remapped.isEmpty { throw ExitStatus.findings.exitCode }
        }

        /// Gives blocks in custom categories the one that stands for none; what was done, in a line each.
        static func remapCategories(_ session: inout SessionTemplate) -> [String] {
            var lines: [String] = []
            for (index, block) in session.items.enumerated() {
                guard let category = block.category, Categories.builtIn(matching: category) == nil else { continue }
                session.items[index].category = Categories.uncategorized
                lines.append(
                    "remap category \"\(block.label)\": \"\(category)\" becomes \"\(Categories.uncategorized)\", "
                        + "because custom categories are a Pro feature"
                )
            }
            return lines
        }
    }
}
