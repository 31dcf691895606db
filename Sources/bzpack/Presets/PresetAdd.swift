internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import GymPulse

extension Bzpack.PresetGroup {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a preset to the store.",
            discussion: "What is left out is as in a new timer of the app. All times are in seconds."
        )

        @OptionGroup var store: StoreOption

        @Option(help: ArgumentHelp("Before the first work phase: 0 to 1800.", valueName: "seconds"))
        var getReady = Preset(id: "").getReadySeconds

        @Option(help: ArgumentHelp("Each work phase: 1 to 1800.", valueName: "seconds"))
        var work = Preset(id: "").workSeconds

        @Option(help: ArgumentHelp("Each rest: 1 to 1800.", valueName: "seconds"))
        var rest = Preset(id: "").restSeconds

        @Option(help: ArgumentHelp("How often all rounds are run: 1 to 99.", valueName: "number"))
        var sets = Preset(id: "").sets

        @Option(help: ArgumentHelp("How often work and rest are run in a set: 1 to 99.", valueName: "number"))
        var rounds = Preset(id: "").rounds

        @Flag(inversion: .prefixedNo, help: "Beep when a phase begins.")
        var sound = true

        @Flag(inversion: .prefixedNo, help: "Speak when a phase begins.")
        var voice = true

        @Argument(help: "The name, of at most 30 characters.")
        var name = Preset.defaultName

        func run() throws {
            let preset = try preset()
            try store.writing(mustExist: false).write { try $0.insert(preset) }
            try StandardOutput.shared.report(TerminalText.safe(Messages.added(preset.name, id: preset.id)) + "\n")
        }

        /// Returns the preset, its name trimmed as the app does it.
        private func preset() throws(CommandFailure) -> Preset {
            try require(getReady, "--get-ready", Preset.getReadyRange)
            try require(work, "--work", Preset.phaseRange)
            try require(rest, "--rest", Preset.phaseRange)
            try require(sets, "--sets", Preset.countRange)
            try require(rounds, "--rounds", Preset.countRange)
            let name = PresetName.mended(name)
            if let fault = PresetName.fault(name) { throw CommandFailure(.usage, fault) }
            return Preset(
                id: newIdentifier(),
                name: name,
                getReadySeconds: getReady,
                workSeconds: work,
                restSeconds: rest,
                sets: sets,
                rounds: rounds,
                soundEnabled: sound,
                voiceEnabled: voice
            )
        }

        private func require(_ value: Int, _ option: String, _ range: ClosedRange<Int>) throws(CommandFailure) {
            guard !range.contains(value) else { return }
            throw CommandFailure(.usage, Messages.outOfRange(option, value, range.lowerBound, range.upperBound))
        }
    }
}
