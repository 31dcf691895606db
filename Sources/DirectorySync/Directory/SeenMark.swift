internal import RecordMerge
internal import StrictJSON

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The name of an empty file, by which a device confirms the changes that it has.
///
/// ```
/// seen/<writer>.<device>.<its name>.<own token>-<count>.<token>-<count>….<digest>.seen
/// seen/<writer>.<device>.<its name>.<own token>-<count>.left.seen
/// ```
///
/// A token stands for a writer of one app in one space. A count is the writer's last change that the device has. The
/// mark names the writers with the latest changes, and has a digest of all others. Each mark is true by itself,
/// whenever and however often it arrives.
struct SeenMark: Sendable, Hashable {
    /// The folder of the marks.
    static let folder = "seen"
    private static let ending = ".seen"
    /// The numbers of digits of a token and of a digest.
    private static let lengths = (token: 6, digest: 8)
    /// The most bytes of a device's name.
    private static let nameLength = 12
    /// The most writers that a mark names.
    static let mostNamed = 7

    /// The path in the shared directory, as it is spelled there.
    let path: String
    /// The device's writer.
    let writer: WriterID
    /// The device, whose name is cut if it is long.
    let device: SyncDevice
    /// The token of the device's own writer, which identifies the app and the space.
    let token: String
    /// The last change that the device has, by token.
    let counts: [String: Int]
    /// The digest of the changes that it has of all other writers; nil where there are none.
    let digest: String?
    /// True if the device has left the folder.
    let hasLeft: Bool

    /// Makes the mark of a device; nil where its names cannot be in a file's name.
    ///
    /// - Parameter seen: The changes that it has, those of the latest writers first.
    init?(_ scope: Scope, _ writer: WriterID, _ device: SyncDevice, seen: [Dot], hasLeft: Bool = false) {
        guard FileName.isPlain(writer.description), writer.description.utf8.count <= 16, FileName.isPlain(device.id),
            device.id.utf8.count <= 16
        else { return nil }
        token = scope.token(writer)
        let own = Dot(writer, seen.first { $0.writer == writer }?.sequence ?? 0)
        let others = seen.filter { $0.writer != writer }
        let named = hasLeft ? [own] : [own] + others.prefix(Self.mostNamed - 1)
        let rest = hasLeft ? [] : others.dropFirst(Self.mostNamed - 1)
        digest = rest.isEmpty ? nil : scope.digest(of: rest)
        counts = Dictionary(named.map { (scope.token($0.writer), $0.sequence) }) { max($0, $1) }
        let name = Self.cut(device.name)
        self.device = SyncDevice(id: device.id, name: name)
        self.writer = writer
        self.hasLeft = hasLeft
        var parts = [writer.description, device.id, Hex.text(name.utf8)]
        parts += named.map { "\(scope.token($0.writer))-\($0.sequence)" }
        if hasLeft { parts.append("left") } else if let digest { parts.append(digest) }
        path = "\(Self.folder)/\(parts.joined(separator: "."))\(Self.ending)"
    }

    /// Returns as much of a device's name as a mark has room for.
    static func cut(_ text: String) -> String {
        var name = ""
        for character in text {
            guard name.utf8.count + character.utf8.count <= nameLength else { break }
            name.append(character)
        }
        return name
    }

    /// Reads a name, without what transports append, as the file is empty.
    init?(name: String, in folder: String) {
        // There are many marks, and each sync reads them all: bytes take a tenth of the time of characters.
        let lowered = name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
        guard lowered.count <= 255, let end = Self.end(of: lowered) else { return nil }
        var parts = lowered[..<end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)[...]
        // A cloud drive's placeholder has a hidden name.
        if parts.first?.isEmpty == true { parts = parts.dropFirst() }
        guard let text = parts.popFirst().map(Self.string), FileName.isPlain(text), let writer = WriterID(text),
            let id = parts.popFirst().map(Self.string), FileName.isPlain(id),
            let called = parts.popFirst().flatMap(Self.text), let own = parts.popFirst().flatMap(Self.count)
        else { return nil }
        var counts = [own.token: own.count]
        var (digest, hasLeft): (String?, Bool) = (nil, false)
        for (index, part) in zip(parts.indices, parts) {
            if let other = Self.count(part) {
                counts[other.token] = max(counts[other.token] ?? 0, other.count)
            } else if index == parts.endIndex - 1, part.elementsEqual("left".utf8) {
                hasLeft = true
            } else if index == parts.endIndex - 1, Self.isHex(part, Self.lengths.digest) {
                digest = Self.string(part)
            } else {
                return nil
            }
        }
        path = "\(folder)/\(name)"
        (self.writer, device) = (writer, SyncDevice(id: id, name: called))
        (token, self.counts, self.digest, self.hasLeft) = (own.token, counts, digest, hasLeft)
    }

    /// The scope of tokens and digests: the records of one app in one space.
    struct Scope {
        let space: String
        let app: String

        /// Returns the token of a writer.
        func token(_ writer: WriterID) -> String { hash("\(writer)", SeenMark.lengths.token) }

        /// Returns the digest of the changes of several writers.
        func digest(of dots: some Sequence<Dot>) -> String {
            hash(dots.map { "\($0.writer) \($0.sequence)" }.sorted().joined(separator: "\n"), SeenMark.lengths.digest)
        }

        private func hash(_ text: String, _ length: Int) -> String {
            String(ContentHash.of(Array("\(space)\n\(app)\n\(text)".utf8)).prefix(length))
        }
    }

    // MARK: Parts of a name

    private static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func end(of name: [UInt8]) -> Int? {
        let ending = Array(ending.utf8)
        return name.indices.first { name[$0] == ending[0] && name[$0...].starts(with: ending) }
    }

    private static func count(_ part: ArraySlice<UInt8>) -> (token: String, count: Int)? {
        guard let hyphen = part.firstIndex(of: UInt8(ascii: "-")), isHex(part[..<hyphen], lengths.token) else {
            return nil
        }
        let digits = part[(hyphen + 1)...]
        guard (1...16).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return (string(part[..<hyphen]), digits.reduce(0) { $0 * 10 + Int($1 - 48) })
    }

    private static func isHex(_ text: ArraySlice<UInt8>, _ length: Int) -> Bool {
        text.count == length && text.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    private static func text(_ hex: ArraySlice<UInt8>) -> String? {
        guard hex.count.isMultiple(of: 2), hex.count <= 2 * nameLength, isHex(hex, hex.count) else { return nil }
        let values = hex.map { $0 >= 97 ? $0 - 87 : $0 - 48 }
        return String(
            decoding: stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] },
            as: UTF8.self
        )
    }
}

extension SyncDirectory {
    /// Writes a mark, and removes the device's others.
    ///
    /// The mark need not be durable: the next sync writes it again.
    func publish(_ mark: SeenMark, replacing others: [SeenMark]) throws(DirectoryError) {
        if try !files.exists(mark.path) {
            try files.makeFolder(SeenMark.folder)
            try files.makeEmpty(mark.path)
        }
        for other in others { try files.remove(other.path) }
    }

    /// Returns the time of a mark, in milliseconds since 1970, by the clock of its author or transport; nil where it is
    /// gone.
    func moment(of mark: SeenMark) -> Int? { files.modified(mark.path) }
}
