internal import ArgumentParser
internal import CommandSupport
internal import GymPulse

extension Bzpack {
    struct PresetGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "presets",
            abstract: "List, add, import, export or delete presets of GymPulse.",
            discussion: "Presets need no Pro plan and have no limits. bzpack timeline shows what one does.",
            subcommands: [List.self, Add.self, Import.self, Export.self, Delete.self]
        )
    }
}

extension Selection where Record == Preset {
    init(_ presets: [Preset]) { self.init(kind: "preset", records: presets, id: \.id, name: \.name) }
}
