internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension Bzpack.ActivityGroup {
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete saved activities.",
            discussion: "Blocks that were made from them stay as they are."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var confirmation: ConfirmationOption
        @Argument(help: ArgumentHelp("The activities.", valueName: "label|id")) var activities: [String]

        func run() throws {
            let store = try store.writing(mustExist: true)
            let records = try store.read { try $0.activities() }.map { NamedRecord(id: $0.id, name: $0.label) }
            let select = Selection(.activity, records, store.faults)
            let found = try activities.map { try select($0) }
            let labels = found.map { "\"\($0.name)\"" }.joined(separator: ", ")
            try confirmation.require("Delete \(labels)?")
            try store.write { records in
                for activity in found { try records.deleteActivity(id: activity.id) }
            }
            try StandardOutput.shared.report(TerminalText.safe(Messages.deleted(labels)) + "\n")
        }
    }
}
