internal import StrictJSON

/// The beginning of a pack: a list of its segments, in a frame that Zstandard skips (RFC 8878, section 3.1.2).
struct PackIndex {
    /// A segment in a pack.
    struct Entry: Equatable {
        var sequence: Int
        var hash: String
        var bytes: Int

        var order: (Int, String) { (sequence, hash) }
    }

    /// The error for bytes that are not a pack.
    struct Fault: Error {
        var reason: String
        var isNewer = false
    }

    private static let magic: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]
    /// The most segments of a pack, and the most bytes of its index.
    static let mostEntries = 8_000
    private static let mostBytes = 1 << 20

    let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    /// Returns the frame with the index: the same segments give the same bytes.
    func encoded() -> [UInt8] {
        var object = JSONObject()
        object["format"] = "satchel-pack"
        object["version"] = 1
        object["segments"] = .array(
            entries.map { entry in
                [
                    "sequence": .number(entry.sequence), "hash": .string(entry.hash),
                    "bytes": .number(entry.bytes),
                ]
            }
        )
        let text = JSONValue.object(object).encoded(.compact)
        let length = UInt32(clamping: text.count)
        return Self.magic + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + text
    }

    /// Reads the index of a pack with a verified hash.
    ///
    /// - Returns: The index, whose segments fill the rest exactly, and the start of the rest.
    static func read(_ bytes: [UInt8]) throws(Fault) -> (index: PackIndex, start: Int) {
        guard bytes.count >= 8, bytes.starts(with: magic) else { throw Fault(reason: "it has no index") }
        let length = (0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) }
        guard length <= min(mostBytes, bytes.count - 8) else {
            throw Fault(reason: "its index is longer than the pack")
        }
        let start = 8 + length
        let text = Array(bytes[8..<start])
        let index = PackIndex(try entries(text, room: bytes.count - start))
        guard bytes[..<start].elementsEqual(index.encoded()) else {
            throw Fault(reason: "its index is not in the form that it is written in")
        }
        return (index, start)
    }

    private static func entries(_ text: [UInt8], room: Int) throws(Fault) -> [Entry] {
        var options = JSONParseOptions()
        options.maximumDepth = 4
        guard let root = try? JSONDocument(parsing: text, options: options).root,
            root["format"]?.string == "satchel-pack", let version = root["version"]?.int
        else { throw Fault(reason: "its index is none") }
        guard version == 1 else {
            throw Fault(reason: "it is of version \(version), but this program reads version 1", isNewer: version > 1)
        }
        guard let list = root["segments"], list.kind == .array, list.count > 0 else {
            throw Fault(reason: "its index has no segments")
        }
        var entries: [Entry] = []
        var rest = room
        for node in list.elements {
            guard let sequence = node["sequence"]?.int, (1...(1 << 53)).contains(sequence),
                let hash = node["hash"]?.string, hash.utf8.count == ContentHash.length,
                let size = node["bytes"]?.int, size > 0, size <= rest
            else { throw Fault(reason: "its index has a segment that cannot be") }
            let entry = Entry(sequence: sequence, hash: hash, bytes: size)
            if let last = entries.last, last.order >= entry.order {
                throw Fault(reason: "its index is not in order")
            }
            rest -= size
            entries.append(entry)
        }
        guard rest == 0 else { throw Fault(reason: "there is more in it than its index says") }
        return entries
    }
}
