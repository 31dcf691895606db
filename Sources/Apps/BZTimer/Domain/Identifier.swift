/// Identifiers of records beyond the file or store that they are in.
enum Identifier {
    /// Tells whether nobody else's record has that identifier; one such as "1" is unique in its file alone.
    static func isUUID(_ id: String) -> Bool {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(\.isHexDigit)
    }
}
