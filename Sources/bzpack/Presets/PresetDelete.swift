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
            let store = try store.writing(mustExist: true)
            let records = try store.read { try $0.presets() }.map { NamedRecord(id: $0.id, name: $0.name) }
            let select = Selection(.preset, records, store.faults)
            let found = try presets.map { try select($0) }
            let names = found.map { "\"\($0.name)\"" }.joined(separator: ", ")
            try confirmation.require("Delete \(names)?")
            try store.write { records in
                for preset in found { try records.deletePreset(id: preset.id) }
            }
            try StandardOutput.shared.report(TerminalText.safe(Messages.deleted(names)) + "\n")
        }
    }
}
