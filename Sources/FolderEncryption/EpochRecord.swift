internal import AgeFile
internal import StrictJSON

/// The content of the file of an epoch: what came before it.
///
/// It is sealed with the key of the epoch. That it holds the keys of the epochs before shows that a member wrote it.
package struct EpochRecord: Sendable {
    /// An epoch before this one.
    package struct Earlier: Sendable {
        /// Its key.
        package var key: EpochKey
        /// Its number.
        package var number: Int
        /// The devices that were removed by then.
        package var removed: Set<String>
    }

    /// The number of the epoch, from 1.
    package var number: Int
    /// The epochs before it, with their keys.
    package var earlier: [Earlier]
    /// The devices that do not get this key nor any later one, by their identifiers, and the public keys that do not, by
    /// their names.
    ///
    /// A device that was removed and takes part again is none of the next epoch's; its other public keys are.
    package var removed: Set<String>
    /// The stored files of earlier epochs that count, by the hashes in their names.
    package var closed: Set<String>
    /// The last change of each writer when the earlier epochs were closed, for people and other programs.
    package var heads: [String: Int]

    /// The most bytes of a record.
    package static let mostBytes = 16 << 20

    /// Makes a record.
    package init(
        number: Int = 1,
        earlier: [Earlier] = [],
        removed: Set<String> = [],
        closed: Set<String> = [],
        heads: [String: Int] = [:]
    ) {
        self.number = number
        self.earlier = earlier
        self.removed = removed
        self.closed = closed
        self.heads = heads
    }

    /// Returns the path by which the file of an epoch is sealed.
    package static func path(_ id: EpochID) -> String { "keys/\(id).epoch" }

    /// Returns the record as JSON.
    package func encoded(space: String) -> [UInt8] {
        JSONValue.object(object(space: space)).encoded(.compact)
    }

    /// Returns the record as JSON.
    func object(space: String) -> JSONObject {
        var object = JSONObject()
        object["format"] = "satchel-epoch"
        object["version"] = 1
        object["space"] = .string(space)
        object["number"] = .number(number)
        object["earlier"] = .array(
            earlier.sorted { $0.number == $1.number ? $0.key.id < $1.key.id : $0.number < $1.number }.map { earlier in
                var object = JSONObject()
                object["key"] = .string(earlier.key.secretText())
                object["number"] = .number(earlier.number)
                object["removed"] = .array(earlier.removed.sorted().map { .string($0) })
                return .object(object)
            }
        )
        object["removed"] = .array(removed.sorted().map { .string($0) })
        var heads = JSONObject()
        for (writer, sequence) in self.heads.sorted(by: { $0.key < $1.key }) {
            heads[writer] = .number(sequence)
        }
        object["heads"] = .object(heads)
        object["closed"] = .array(closed.sorted().map { .string($0) })
        return object
    }

    /// Reads a record.
    ///
    /// - Throws: `tooNew` and `damaged`.
    init(reading node: JSONNode, space: String) throws(EncryptionError) {
        func damaged(_ what: String) -> EncryptionError {
            EncryptionError(.damaged, "the record of an epoch has \(what)")
        }
        guard node["format"]?.string == "satchel-epoch", let version = node["version"]?.int else {
            throw damaged("another format")
        }
        guard version == 1 else {
            throw EncryptionError(.tooNew, "the epoch is of version \(version), but this program knows 1; update it")
        }
        guard node["space"]?.string == space else { throw damaged("another space") }
        guard let number = node["number"]?.int, (1...(1 << 32)).contains(number) else { throw damaged("no number") }
        var earlier: [Earlier] = []
        for entry in node["earlier"]?.elements.map(\.self) ?? [] {
            guard let bytes = entry["key"]?.string.flatMap({ Base64.decode(Array($0.utf8)) }),
                let key = EpochKey(bytes), let before = entry["number"]?.int, (1..<number).contains(before)
            else { throw damaged("an earlier epoch that cannot be") }
            earlier.append(Earlier(key: key, number: before, removed: Self.texts(entry["removed"])))
        }
        self.init(
            number: number,
            earlier: earlier,
            removed: Self.texts(node["removed"]),
            closed: Self.texts(node["closed"])
        )
        for (writer, sequence) in node["heads"]?.members.map(\.self) ?? [] { heads[writer] = sequence.int ?? 0 }
    }

    /// Reads the content of an epoch's file.
    ///
    /// - Throws: `tooNew` and `damaged`.
    package init(reading bytes: [UInt8], space: String) throws(EncryptionError) {
        guard let document = try? JSONDocument(parsing: bytes) else {
            throw EncryptionError(.damaged, "the record of an epoch is no JSON")
        }
        try self.init(reading: document.root, space: space)
    }

    private static func texts(_ node: JSONNode?) -> Set<String> {
        guard let node, node.kind == .array else { return [] }
        return Set(node.elements.compactMap(\.string))
    }
}
