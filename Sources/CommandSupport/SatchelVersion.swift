/// The version of all programs of the toolkit.
public enum SatchelVersion {
    /// The version, as `--version` prints it.
    public static let current = "0.1.0"
}
