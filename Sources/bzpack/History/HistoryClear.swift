internal import BZTimer
internal import ArgumentParser
internal import CommandSupport

extension Bzpack.HistoryGroup {
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "clear", abstract: "Delete all history.")

        @OptionGroup var store: StoreOption
        @OptionGroup var confirmation: ConfirmationOption

        func run() throws {
            let store = try store.writing(mustExist: true)
            let count = try store.read { try $0.history().count } + store.faults.count
            if count > 0 { try confirmation.require("Delete all history, \(Words.count(count, "entry"))?") }
            let deleted = try store.write { try $0.clearHistory() }
            try StandardOutput.shared.report(Messages.deletedHistory(deleted))
        }
    }
}
