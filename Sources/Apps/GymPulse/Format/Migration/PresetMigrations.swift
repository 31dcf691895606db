public import FormatKit
public import StrictJSON

/// The versions of GymPulse presets and the step between them.
public enum PresetMigrations {
    private static let built = Result { () throws(AppFormatError) in
        try MigrationChain(format: PresetFile.format, steps: [PresetStep1To2.step])
    }

    /// The chain of versions 1 and 2.
    public static func chain() throws(AppFormatError) -> MigrationChain { try built.get() }

    /// A document in another version, its known members in schema order.
    ///
    /// - Parameters:
    ///   - document: A valid document of version `from`.
    ///   - from: The version that it is.
    ///   - to: The version that is wanted.
    /// - Throws: `version.newer` or `version.invalid` for an unknown version, and `presets.empty` where version 1 is
    ///   wanted and the document holds no preset.
    public static func migrate(_ document: JSONValue, from: Int, to: Int) throws(AppFormatError) -> Migrated {
        var migrated = try chain().migrate(document, from: from, to: to)
        migrated.value = PresetLayout.ordered(migrated.value, version: to)
        return migrated
    }
}

/// The members of each object in schema order.
enum PresetLayout {
    static let envelope = ["format", "version", "presets"]
    static let switches = ["soundEnabled", "voiceEnabled"]
    static let preset = ["id", "name", "getReadySeconds", "workSeconds", "restSeconds", "sets", "rounds"] + switches

    /// A document of a version with its known members in schema order, then the unknown ones, then `x-preserved`.
    static func ordered(_ document: JSONValue, version: Int) -> JSONValue {
        if version == 1 { return orderedPresets(document) }
        guard var object = document.object?.ordered(envelope) else { return document }
        object["presets"] = object["presets"].map(orderedPresets)
        return .object(object)
    }

    private static func orderedPresets(_ value: JSONValue) -> JSONValue {
        guard let presets = value.array else { return value }
        return .array(presets.map { element in element.object.map { .object($0.ordered(preset)) } ?? element })
    }
}
