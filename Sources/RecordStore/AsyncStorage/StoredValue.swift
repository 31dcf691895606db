/// What a phone's storage held under a key.
public enum StoredValue: Sendable, Hashable {
    /// A text, as its bytes; whether they are JSON is not known.
    case text([UInt8])
    /// Nothing: the key is there without a value.
    case null
    /// A value that cannot be read, and why.
    case unusable(String)
}
