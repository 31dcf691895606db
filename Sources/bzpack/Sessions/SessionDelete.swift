internal import BZTimer
internal import ArgumentParser
internal import CommandSupport

extension Bzpack.SessionGroup {
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete sessions.",
            discussion: "Their history stays, with the name they had."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var confirmation: ConfirmationOption
        @Argument(help: ArgumentHelp("The sessions.", valueName: "name|id"), completion: .sessions) var sessions:
            [String]

        func run() throws {
            try store.delete(.session, sessions, confirmation) {
                try $0.sessions().map { NamedRecord(id: $0.id, name: $0.name) }
            } by: {
                try $0.deleteSession(id: $1)
            }
        }
    }
}
