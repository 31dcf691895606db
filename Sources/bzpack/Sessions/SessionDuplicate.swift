internal import AppFormats
internal import AppStores
internal import ArgumentParser
internal import CommandSupport

extension Bzpack.SessionGroup {
    struct Duplicate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a copy of a session.",
            discussion: "On the Free plan a store takes up to 5 sessions."
        )

        @OptionGroup var store: StoreOption
        @Argument(help: ArgumentHelp("The session.", valueName: "name|id")) var session: String
        @Option(help: "The copy's name; by default the old one with \" (copy)\" behind it.") var name: String?

        func run() throws {
            let copy = try store.writing(mustExist: true).write { records in
                let sessions = try records.sessions()
                var copy = try Selection(sessions)(session)
                if let refusal = try records.settings().plan.refusalToAddSession(to: sessions.count) {
                    throw CommandFailure(.needsPro, refusal)
                }
                copy.name = name ?? "\(copy.name) (copy)"
                copy.id = newIdentifier()
                for index in copy.items.indices { copy.items[index].id = newIdentifier() }
                try records.insert(copy)
                return copy
            }
            try StandardOutput.shared.write(TerminalText.safe("Added \"\(copy.name)\" (\(copy.id)).") + "\n")
        }
    }
}
