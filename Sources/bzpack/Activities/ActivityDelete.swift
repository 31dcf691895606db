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
            try store.delete(.activity, activities, confirmation) {
                try $0.activities().map { NamedRecord(id: $0.id, name: $0.label) }
            } by: {
                try $0.deleteActivity(id: $1)
            }
        }
    }
}
