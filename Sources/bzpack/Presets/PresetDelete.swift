internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import GymPulse

extension Bzpack.PresetGroup {
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete presets.")

        @OptionGroup var store: StoreOption
        @OptionGroup var confirmation: ConfirmationOption
        @Argument(help: ArgumentHelp("The presets.", valueName: "name|id")) var presets: [String]

        func run() throws {
            try store.delete(.preset, presets, confirmation) {
                try $0.presets().map { NamedRecord(id: $0.id, name: $0.name) }
            } by: {
                try $0.deletePreset(id: $1)
            }
        }
    }
}
