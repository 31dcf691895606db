/// The version of all programs of the toolkit.
package enum SatchelVersion {
    /// The version, as `--version` prints it.
    package static let current = "0.1.0"
}
