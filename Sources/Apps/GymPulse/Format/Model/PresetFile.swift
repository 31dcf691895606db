public import StrictJSON

/// The content of a file of GymPulse presets of the current version.
public struct PresetFile: Sendable, Hashable {
    /// The presets, in the order in which the app lists them.
    public var presets: [Preset]
    /// Members of the envelope that this version does not know, in their order, `x-preserved` among them.
    public var extra: JSONObject

    /// Makes the content of a file.
    public init(presets: [Preset], extra: JSONObject = [:]) {
        self.presets = presets
        self.extra = extra
    }
}
