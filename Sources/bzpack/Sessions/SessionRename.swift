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
            let old = try store.writing(mustExist: true).write { records in
                var found = try Selection(records.sessions())(session)
                let old = found.name
                found.name = name
                try records.update(found)
                return old
            }
            try StandardOutput.shared.report(TerminalText.safe(Messages.renamed(old, name)) + "\n")
        }
    }
}
