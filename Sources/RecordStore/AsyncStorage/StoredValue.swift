/// The value of a key in a phone's storage.
public enum StoredValue: Sendable, Hashable {
    /// The bytes of a text, which may or may not be JSON.
    case text([UInt8])
    /// A key without a value.
    case null
    /// An unreadable value, with the reason.
    case unusable(String)
}
