/// Lengths of time as people read them.
public enum DurationText {
    /// Returns a length in words: `4 h 55 min`, `1 min 30 s`, `20 s`.
    ///
    /// Hours are not counted as days: a week is `168 h`.
    public static func words(seconds: Int) -> String {
        let length = seconds.magnitude
        let parts = [(length / 3600, "h"), (length / 60 % 60, "min"), (length % 60, "s")].filter { $0.0 > 0 }
        guard !parts.isEmpty else { return "0 min" }
        return (seconds < 0 ? "-" : "") + parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}
