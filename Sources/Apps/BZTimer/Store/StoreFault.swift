/// A record that a store holds and that its type cannot be made of.
///
/// Reading leaves the record out and goes on; the record stays as it is until it is deleted or replaced.
public struct StoreFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of record.
    public enum Kind: String, Sendable, Hashable {
        /// A session with its blocks.
        case session
        /// A saved activity.
        case activity
        /// A member of the settings; the app's default stands in for it.
        case setting
        /// A preset of GymPulse.
        case preset
        /// A history entry.
        case historyEntry = "history entry"
    }

    /// The kind of the record.
    public let kind: Kind
    /// The identifier of the record, the name of the setting.
    public let id: String
    /// The name or label of the record, where it has one that can be read.
    public let name: String?
    /// The fault, in one sentence without a final full stop.
    public let reason: String

    /// Kind, identifier and reason in one line.
    public var description: String { "the \(kind.rawValue) \"\(id)\" cannot be read: \(reason)" }
}
