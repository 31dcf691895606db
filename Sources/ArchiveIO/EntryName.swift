/// The rules for the names of entries.
///
/// Nothing is ever extracted by the name that an entry claims, but a name that could do harm elsewhere says enough
/// about an archive.
enum EntryName {
    /// Checks a name and gives it in its plainest form: without `.` parts, doubled slashes and a slash at the end.
    ///
    /// `tar` writes `./Slate.json` where it is told to pack the folder `.`, whose own entry comes out as "".
    static func checked(_ bytes: some Collection<UInt8>, limits: ArchiveLimits) throws(ArchiveError) -> String {
        guard !bytes.isEmpty else { throw ArchiveError(.nameEmpty, "an entry has no name") }
        let shown = String(decoding: bytes.prefix(200), as: UTF8.self)
        guard bytes.count <= limits.nameBytes else {
            let message = "the name has \(bytes.count) bytes; the limit is \(limits.nameBytes)"
            throw ArchiveError(.nameLength, message, entry: shown)
        }
        guard let name = String(validating: bytes, as: UTF8.self) else {
            throw ArchiveError(
                .nameEncoding,
                "the name is not UTF-8; pack the archive again with UTF-8 names",
                entry: shown
            )
        }
        try check(name)
        return parts(of: name).filter { $0 != "." }.joined(separator: "/")
    }

    /// Checks a name that is to be written, or that a manifest lists: it must be in its plainest form already.
    static func check(plain name: String, limits: ArchiveLimits) throws(ArchiveError) {
        let plain = try checked(name.utf8, limits: limits)
        guard plain.utf8.elementsEqual(name.utf8) else {
            throw ArchiveError(.nameForm, "the name should be written \(quoted(plain))", entry: name)
        }
    }

    /// Tells whether a file is of one of these kinds by its name, and none of what macOS adds to archives.
    static func isFile(_ name: String, endingWith endings: [String]) -> Bool {
        let parts = parts(of: name)
        guard let last = parts.last, parts.first != "__MACOSX", !last.hasPrefix("._") else { return false }
        return endings.contains { last.lowercased().hasSuffix(".\($0)") }
    }

    /// Returns the parts between slashes, also where a slash is one character with the accent after it.
    private static func parts(of name: String) -> [Substring] {
        name.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    private static func check(_ name: String) throws(ArchiveError) {
        let utf8 = name.utf8
        if name.unicodeScalars.contains(where: isControl) {
            throw ArchiveError(.nameControl, "the name has control characters in it", entry: name)
        }
        if utf8.contains(UInt8(ascii: "\\")) {
            throw ArchiveError(
                .nameBackslash,
                "the name has a backslash in it; parts of names go apart by /",
                entry: name
            )
        }
        if utf8.first == UInt8(ascii: "/") {
            throw ArchiveError(.nameAbsolute, "the name is absolute; it must be relative", entry: name)
        }
        if utf8.dropFirst().first == UInt8(ascii: ":"), let letter = name.unicodeScalars.first,
            letter.properties.isAlphabetic
        {
            throw ArchiveError(.nameDrive, "the name begins with a drive letter; it must be relative", entry: name)
        }
        if parts(of: name).contains("..") {
            throw ArchiveError(.nameTraversal, "the name leads out of the archive by ..", entry: name)
        }
    }

    /// Tells whether a character is a control character or reverses the direction of the text around it.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// The names that an archive has had, to find those that are the same to some file system.
struct NameRegister {
    private var names: [String: String] = [:]

    /// Takes a name in.
    ///
    /// The keys go by Unicode's canonical equivalence, as Swift's strings compare, after their case was evened out.
    mutating func insert(_ name: String) throws(ArchiveError) {
        let key = name.uppercased().lowercased()
        guard let other = names.updateValue(name, forKey: key) else { return }
        if other.utf8.elementsEqual(name.utf8) {
            throw ArchiveError(.duplicateName, "two entries have the same name", entry: name)
        }
        let message = "the name differs from \(quoted(other)) by case or normalisation only; rename one of them"
        throw ArchiveError(.similarName, message, entry: name)
    }
}
