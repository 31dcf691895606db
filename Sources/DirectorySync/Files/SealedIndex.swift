internal import FileSystem
internal import FolderEncryption

/// The paths of an encrypted folder's stored files, in a file of lines beside the keys.
///
/// Each line is the stem of a stored name, an epoch and a path. A missing or damaged file only costs time: stored files
/// are looked at again, and whatever the lines say is compared with what is inside of a file when it is read. A line that
/// a full disk cut counts for nothing, nor does one that was written behind it.
struct SealedIndex {
    struct Entry: Sendable, Hashable {
        var epoch: EpochID
        var path: String
    }

    private let file: String
    private(set) var entries: [String: Entry]
    private var lines: Int
    /// True if the file does not end with a whole line.
    private var isCut = false
    private static let mostBytes = 1 << 28
    /// The lines that may be superfluous before the file is written anew.
    private static let slack = 1_000

    /// - Parameter known: The entries, where they were read before.
    init(_ file: String, _ known: [String: Entry]?) {
        self.file = file
        entries = known ?? [:]
        lines = known?.count ?? 0
        guard known == nil, let bytes = try? SharedFile(reading: file).bytes(limit: Self.mostBytes) else { return }
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        isCut = end < bytes.count
        for line in bytes[..<end].split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            guard parts.count == 3, parts[0].count == 2 * SealedName.digits + 1,
                let epoch = EpochID(String(decoding: parts[1], as: UTF8.self)), parts[2].allSatisfy({ $0 > 0x20 })
            else { continue }
            let path = String(decoding: parts[2], as: UTF8.self)
            entries[String(decoding: parts[0], as: UTF8.self)] = Entry(epoch: epoch, path: path)
            lines += 1
        }
    }

    /// Notes a file; where that cannot be written, the file is looked at again next time.
    mutating func add(_ stem: String, _ entry: Entry) {
        guard entries[stem] != entry else { return }
        entries[stem] = entry
        guard entry.path.utf8.allSatisfy({ $0 > 0x20 }) else { return }
        let line = Array("\(isCut ? "\n" : "")\(stem) \(entry.epoch) \(entry.path)\n".utf8)
        isCut = false
        lines += 1
        _ = try? Files.append(line, to: file, mode: 0o600)
    }

    /// Forgets files that are not listed, when there are many of them.
    mutating func keep(_ listed: Set<String>) {
        guard lines > 2 * listed.count + Self.slack else { return }
        entries = entries.filter { listed.contains($0.key) }
        let text = entries.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.epoch) \($0.value.path)\n" }.joined()
        if (try? Files.replace(file, withContent: Array(text.utf8), mode: 0o600)) != nil { lines = entries.count }
    }
}
