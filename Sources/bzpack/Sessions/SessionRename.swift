internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import FormatKit

extension Bzpack.SessionGroup {
    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "rename", abstract: "Give a session another name.")

        @OptionGroup var store: StoreOption
        @Argument(help: ArgumentHelp("The session.", valueName: "name|id"), completion: .sessions) var session: String
        @Argument(help: ArgumentHelp("The new name.", valueName: "new-name")) var name: String

        func run() throws {
            guard !Words.isBlank(name) else { throw CommandFailure(.usage, Messages.sessionNeedsName) }
            let (old, others) = try store.writing(mustExist: true).write { records in
                let sessions = try records.sessions()
                var found = try Selection(sessions)(session)
                let old = found.name
                found.name = name
                try records.update(found)
                return (old, sessions.count { $0.id != found.id && Categories.areSame($0.name, name) })
            }
            try StandardOutput.shared.report(TerminalText.safe(Messages.renamed(old, name)) + "\n")
            if others > 0 { StandardError.write(Messages.sameName(others) + "\n") }
        }
    }
}
