internal import CivilTime
internal import FormatKit
public import GymPulse
public import StrictJSON

extension ImportPlan {
    /// Plans the import of a file of presets into a store.
    ///
    /// Nothing is written. Presets keep their UUIDs where these are free, and get new ones otherwise. What the
    /// store has already, by its content digest, is skipped and named. There are no limits, on any plan. Where the
    /// store has another preset of that identifier, or a single one of that name, the plan names it.
    ///
    /// - Parameters:
    ///   - file: The file as it was read.
    ///   - stored: The store's presets; on return, with those that it will hold once the plan is applied, for planning
    ///     the next file.
    ///   - allowsDuplicates: Whether presets are added even where the store has the same.
    ///   - updates: Whether a preset takes the place of that other one, unless the file has that as well.
    ///   - origin: Where the file itself has what a document of the current version has at that place.
    ///   - newID: Gives a new identifier at each call.
    public init(
        importing file: PresetFile,
        into stored: inout [Preset],
        allowsDuplicates: Bool = false,
        updates: Bool = false,
        origin: (JSONPointer) -> JSONPointer = { $0 },
        newID: () -> String
    ) {
        var names = Dictionary(stored.map { (ContentDigest(of: $0), $0.name) }, uniquingKeysWith: { first, _ in first })
        actions = []
        envelope = file.extra
        // The store's presets that the file contains unchanged, or that it has replaced or added.
        let contained = Set(file.presets.map { ContentDigest(of: $0) })
        var met = Set(stored.filter { contained.contains(ContentDigest(of: $0)) }.map(\.id))
        for (index, preset) in file.presets.enumerated() {
            let digest = ContentDigest(of: preset)
            let pointer = origin(JSONPointer(tokens: ["presets", String(index)]))
            var action = ImportAction(verb: .skip, subject: .preset, name: preset.name, reason: "", pointer: pointer)
            if let name = names[digest], !allowsDuplicates {
                action.reason = "the store has it already as \"\(name)\""
            } else {
                let length = DurationText.words(seconds: preset.totalSeconds)
                action.reason = "\(preset.sets) × \(preset.rounds) rounds, \(length)"
                var new = preset
                let other = allowsDuplicates ? nil : Self.other(of: preset, in: stored.filter { !met.contains($0.id) })
                if updates, let other, let index = stored.firstIndex(where: { $0.id == other.id }) {
                    new.id = other.id
                    action.verb = .update
                    action.reason += "; it takes the place of \"\(other.name)\" (\(other.id))"
                    action.payload = .presetReplacement(new)
                    stored[index] = new
                } else {
                    if !Self.isUUID(new.id) || stored.contains(where: { $0.id == new.id }) { new.id = newID() }
                    action.verb = .create
                    if let other {
                        action.reason += "; the store has another \"\(other.name)\", which --update replaces"
                    }
                    action.payload = .preset(new)
                    stored.append(new)
                }
                met.insert(new.id)
                if names[digest] == nil { names[digest] = new.name }
            }
            actions.append(action)
        }
    }

    /// Tells whether nobody else's preset has that identifier; one such as "1" is unique in its file alone.
    private static func isUUID(_ id: String) -> Bool {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(\.isHexDigit)
    }

    /// Returns the store's preset of that identifier, or the only one of that name, case and spelling aside.
    private static func other(of preset: Preset, in stored: [Preset]) -> Preset? {
        if isUUID(preset.id), let same = stored.first(where: { $0.id == preset.id }) { return same }
        let named = stored.filter { CategoryKey($0.name) == CategoryKey(preset.name) }
        return named.count == 1 ? named[0] : nil
    }

    /// The presets to replace, with the identifiers of the store.
    public var presetReplacements: [Preset] {
        actions.compactMap { if case .presetReplacement(let preset) = $0.payload { preset } else { nil } }
    }

    /// The presets to add, with the identifiers that they get.
    public var presets: [Preset] {
        actions.compactMap { if case .preset(let preset) = $0.payload { preset } else { nil } }
    }
}
