internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import StrictJSON

extension Bzpack.PresetGroup {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the presets of the store.",
            discussion: "As JSON they are shown the way a file of presets holds them, unknown members included."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let presets = try store.reading().read { try $0.presets() }
            try output.print(Self.text(presets), ["presets": .array(presets.map(\.json))])
        }

        static func text(_ presets: [Preset]) -> String {
            guard !presets.isEmpty else { return "The store has no presets.\n" }
            var table = TextTable([
                .left("NAME"), .right("GET READY"), .right("WORK"), .right("REST"), .right("SETS"), .right("ROUNDS"),
                .right("LENGTH"), .fixed("SOUND"), .fixed("VOICE"), .fixed("ID"),
            ])
            for preset in presets.sorted(by: { NaturalOrder.precedes($0.name, $1.name) }) {
                table.add([
                    TerminalText.cut(preset.name, to: Words.nameColumns), Words.length(preset.getReadySeconds),
                    Words.length(preset.workSeconds), Words.length(preset.restSeconds), "\(preset.sets)",
                    "\(preset.rounds)", Words.length(preset.totalSeconds), preset.soundEnabled ? "on" : "off",
                    preset.voiceEnabled ? "on" : "off", preset.id,
                ])
            }
            return table.render()
        }
    }
}
