internal import CivilTime
public import GymPulse
public import StrictJSON

extension ImportPlan {
    /// Plans the import of a file of presets into a store.
    ///
    /// Nothing is written. Presets get new identifiers; what the store has already, by its content digest, is skipped and
    /// named. There are no limits, on any plan.
    ///
    /// - Parameters:
    ///   - file: The file as it was read.
    ///   - stored: The store's presets; on return, with those that it will hold once the plan is applied, for planning
    ///     the next file.
    ///   - allowsDuplicates: Whether presets are added even where the store has the same.
    ///   - origin: Where the file itself has what a document of the current version has at that place.
    ///   - newID: Gives a new identifier at each call.
    public init(
        importing file: PresetFile,
        into stored: inout [Preset],
        allowsDuplicates: Bool = false,
        origin: (JSONPointer) -> JSONPointer = { $0 },
        newID: () -> String
    ) {
        var names = Dictionary(stored.map { (ContentDigest(of: $0), $0.name) }, uniquingKeysWith: { first, _ in first })
        actions = []
        envelope = file.extra
        for (index, preset) in file.presets.enumerated() {
            let digest = ContentDigest(of: preset)
            let pointer = origin(JSONPointer(tokens: ["presets", String(index)]))
            var action = ImportAction(verb: .skip, subject: .preset, name: preset.name, reason: "", pointer: pointer)
            if let name = names[digest], !allowsDuplicates {
                action.reason = "the store has it already as \"\(name)\""
            } else {
                var created = preset
                created.id = newID()
                action.verb = .create
                action.reason =
                    "\(preset.sets) × \(preset.rounds) rounds, \(DurationText.words(seconds: preset.totalSeconds))"
                action.payload = .preset(created)
                stored.append(created)
                if names[digest] == nil { names[digest] = created.name }
            }
            actions.append(action)
        }
    }

    /// The presets to add, with their new identifiers.
    public var presets: [Preset] {
        actions.compactMap { if case .preset(let preset) = $0.payload { preset } else { nil } }
    }
}
