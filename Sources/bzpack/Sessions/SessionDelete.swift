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
            let store = try store.writing(mustExist: true)
            let records = try store.read { try $0.sessions() }.map { NamedRecord(id: $0.id, name: $0.name) }
            let select = Selection(.session, records, store.faults)
            let found = try sessions.map { try select($0) }
            let names = found.map { "\"\($0.name)\"" }.joined(separator: ", ")
            try confirmation.require("Delete \(names)?")
            try store.write { records in
                for session in found { try records.deleteSession(id: session.id) }
            }
            try StandardOutput.shared.report(TerminalText.safe(Messages.deleted(names)) + "\n")
        }
    }
}
