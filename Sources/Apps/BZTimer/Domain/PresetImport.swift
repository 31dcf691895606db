internal import CivilTime
internal import FormatKit
public import GymPulse
public import StrictJSON

/// The store's presets in an import, and what they are after the plans made so far.
public struct PresetImportState: Sendable {
    /// The presets that can be read.
    public private(set) var presets: [Preset]
    /// Their places by name, case and spelling aside.
    private var named: [CategoryKey: [Int]]
    /// The identifiers of all, also of those that cannot be read.
    var ids: Set<String>
    /// The identifiers of presets that the imported files contain, have replaced or have added.
    var met: Set<String> = []
    /// The identifiers of those that the imported files contain exactly, and of those that they have added.
    private var exact: Set<String> = []
    /// The UUIDs of the imported files' presets.
    fileprivate var claimed: Set<String> = []

    /// Makes the state of a store.
    ///
    /// - Parameters:
    ///   - presets: All presets that can be read.
    ///   - taken: The identifiers of all records; those of the given ones are known.
    public init(presets: [Preset], taken: TakenIds = TakenIds()) {
        self.presets = presets
        named = Dictionary(grouping: presets.indices) { CategoryKey(presets[$0].name) }
        ids = taken.presets.union(presets.map(\.id))
    }

    private func namesakes(of preset: Preset) -> [Preset] {
        (named[CategoryKey(preset.name)] ?? []).map { presets[$0] }
    }

    /// Adds a preset.
    fileprivate mutating func add(_ preset: Preset) {
        named[CategoryKey(preset.name), default: []].append(presets.count)
        presets.append(preset)
        ids.insert(preset.id)
        exact.insert(preset.id)
    }

    /// Puts a preset in the place of another one.
    fileprivate mutating func replace(at index: Int, by preset: Preset) {
        named[CategoryKey(presets[index].name)]?.removeAll { $0 == index }
        named[CategoryKey(preset.name), default: []].append(index)
        presets[index] = preset
    }

    /// Notes the stored presets that a file contains unchanged, so that no other preset replaces them.
    ///
    /// ``ImportPlan`` calls this for its own file. To import several files together, call it for each of them first.
    ///
    /// - Parameter unsaid: The members that the file's writer did not know.
    public mutating func meet(_ file: PresetFile, unsaid: Set<String> = []) {
        let contained = Set(file.presets.map { ContentDigest(of: $0) })
        exact.formUnion(presets.filter { contained.contains(ContentDigest(of: $0)) }.map(\.id))
        met.formUnion(exact)
        met.formUnion(file.presets.flatMap { containing($0, unsaid: unsaid) }.map(\.id))
        claimed.formUnion(file.presets.map(\.id).filter(Identifier.isUUID))
    }

    /// Returns the store's presets in which another one would change nothing, as they differ in what it does not have.
    ///
    /// One that is another preset of a file is none of them.
    func containing(_ preset: Preset, unsaid: Set<String>) -> [Preset] {
        namesakes(of: preset).filter { stored in
            guard stored.name == preset.name, !exact.contains(stored.id) else { return false }
            return ContentDigest(of: preset.keeping(stored, unsaid: unsaid)) == ContentDigest(of: stored)
        }
    }

    /// Returns the store's preset of that UUID, else the one of that name, case and spelling aside, that another one
    /// may replace; several where the name does not tell which.
    func others(of preset: Preset) -> [Preset] {
        if Identifier.isUUID(preset.id), ids.contains(preset.id) {
            return presets.filter { $0.id == preset.id && !met.contains($0.id) }
        }
        let named = namesakes(of: preset)
        return named.count > 1 ? named : named.filter { !met.contains($0.id) && !claimed.contains($0.id) }
    }
}

extension Preset {
    /// Returns the preset in the place of a stored one, with what it does not have itself.
    fileprivate func keeping(_ stored: Preset, unsaid: Set<String>) -> Preset {
        var new = self
        new.id = stored.id
        if unsaid.contains("soundEnabled") { new.soundEnabled = stored.soundEnabled }
        if unsaid.contains("voiceEnabled") { new.voiceEnabled = stored.voiceEnabled }
        new.extra.keep(stored.extra)
        return new
    }
}

extension ImportPlan {
    /// Plans the import of a file of presets into a store.
    ///
    /// Nothing is written. Presets keep their UUIDs where these are free, and get new ones otherwise. What the
    /// store has already, by its content digest, is skipped and named. There are no limits, on any plan. Where the
    /// store has another preset of that UUID, or a single one of that name, the plan names it.
    ///
    /// - Parameters:
    ///   - file: The file as it was read.
    ///   - state: The store; on return, as it will be once the plan is applied, for planning the next file.
    ///   - allowsDuplicates: Whether presets are added even where the store has the same.
    ///   - updates: Whether a preset takes the place of that other one, unless a file has that as well; it keeps its
    ///     unknown members.
    ///   - unsaid: The members that the file's writer did not know; what is replaced keeps its own.
    ///   - origin: Where the file itself has what a document of the current version has at that place.
    ///   - newID: Gives a new identifier at each call.
    public init(
        importing file: PresetFile,
        into state: inout PresetImportState,
        allowsDuplicates: Bool = false,
        updates: Bool = false,
        unsaid: Set<String> = [],
        origin: (JSONPointer) -> JSONPointer = { $0 },
        newID: () -> String
    ) {
        state.meet(file, unsaid: unsaid)
        var names = Dictionary(
            state.presets.map { (ContentDigest(of: $0), $0.name) },
            uniquingKeysWith: { first, _ in first }
        )
        actions = []
        envelope = file.extra
        for (index, preset) in file.presets.enumerated() {
            let digest = ContentDigest(of: preset)
            let pointer = origin(JSONPointer(tokens: ["presets", String(index)]))
            var action = ImportAction(verb: .skip, subject: .preset, name: preset.name, reason: "", pointer: pointer)
            let same = allowsDuplicates ? nil : names[digest] ?? state.containing(preset, unsaid: unsaid).first?.name
            if let name = same {
                action.reason = "the store has it already as \"\(name)\""
            } else {
                let length = DurationText.words(seconds: preset.totalSeconds)
                action.reason = "\(preset.sets) × \(preset.rounds) rounds, \(length)"
                var new = preset
                let others = allowsDuplicates ? [] : state.others(of: preset)
                if updates, others.count == 1, let index = state.presets.firstIndex(where: { $0.id == others[0].id }) {
                    new = preset.keeping(others[0], unsaid: unsaid)
                    action.verb = .update
                    action.reason += "; it takes the place of \"\(others[0].name)\" (\(others[0].id))"
                    action.payload = .presetReplacement(new)
                    state.replace(at: index, by: new)
                } else {
                    if !Identifier.isUUID(new.id) || state.ids.contains(new.id) { new.id = newID() }
                    action.verb = .create
                    if others.count == 1 {
                        action.reason += "; the store has another \"\(others[0].name)\", which --update replaces"
                    } else if updates, others.count > 1 {
                        let ids = others.map(\.id).joined(separator: ", ")
                        let named = "are called \"\(preset.name)\" (\(ids))"
                        action.reason += "; \(others.count) presets in the store \(named), so it is added"
                    }
                    action.payload = .preset(new)
                    state.add(new)
                }
                state.met.insert(new.id)
                if names[digest] == nil { names[digest] = new.name }
            }
            actions.append(action)
        }
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
