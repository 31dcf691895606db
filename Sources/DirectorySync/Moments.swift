internal import CivilTime

/// Formats moments.
enum Moments {
    /// Returns a moment in RFC 3339, in UTC.
    static func text(_ milliseconds: Int) -> String {
        Timestamp(milliseconds: milliseconds)?.description ?? "1970-01-01T00:00:00Z"
    }
}
