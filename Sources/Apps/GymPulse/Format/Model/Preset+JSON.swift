public import FormatKit
public import StrictJSON

extension Preset {
    /// Makes a preset from its form in a file or a store.
    ///
    /// - Throws: `bztimer.member` with the place where a known member is missing or cannot be used. A work or rest of 0
    ///   seconds can be used: running the preset skips it.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = try MemberReader(value, at: pointer)
        id = try members.string("id")
        name = try members.string("name")
        getReadySeconds = try members.integer("getReadySeconds", in: Self.getReadyRange)
        workSeconds = try members.integer("workSeconds", in: 0...Self.phaseRange.upperBound)
        restSeconds = try members.integer("restSeconds", in: 0...Self.phaseRange.upperBound)
        sets = try members.integer("sets", in: Self.countRange)
        rounds = try members.integer("rounds", in: Self.countRange)
        soundEnabled = try members.required("soundEnabled", "true or false", \.bool)
        voiceEnabled = try members.required("voiceEnabled", "true or false", \.bool)
        extra = members.rest
    }

    /// The preset as a file holds it, members in schema order and unknown ones after them.
    public var json: JSONValue {
        var members = MemberWriter()
        members.add("id", id)
        members.add("name", name)
        let numbers = [
            ("getReadySeconds", getReadySeconds), ("workSeconds", workSeconds), ("restSeconds", restSeconds),
            ("sets", sets), ("rounds", rounds),
        ]
        for (name, number) in numbers { members.add(name, .number(number)) }
        members.add("soundEnabled", .bool(soundEnabled))
        members.add("voiceEnabled", .bool(voiceEnabled))
        return members.finish(extra)
    }
}

extension PresetFile {
    /// Makes the content of a document of the current version.
    ///
    /// - Throws: `bztimer.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue) throws(AppFormatError) {
        var members = try MemberReader(value, at: .root)
        _ = try members.required("format", "\"\(PresetFormat.name)\"") { $0.string == PresetFormat.name ? true : nil }
        _ = try members.required("version", "\(PresetFormat.currentVersion)") {
            $0.int == PresetFormat.currentVersion ? true : nil
        }
        presets = try members.elements("presets") { (value, pointer) throws(AppFormatError) in
            try Preset(json: value, at: pointer)
        }
        extra = members.rest
    }

    /// The document of the current version, members in schema order and unknown ones after them at every level.
    public var json: JSONValue {
        var members = MemberWriter()
        members.add("format", PresetFormat.name)
        members.add("version", .number(PresetFormat.currentVersion))
        members.add("presets", .array(presets.map(\.json)))
        return members.finish(extra)
    }
}
