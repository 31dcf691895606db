internal import FolderEncryption

/// Reads the names of an encrypted folder, and what transports make of them.
enum StoredName {
    static let files = "sealed"
    static let keys = "keys"
    /// The folders of an encrypted folder.
    static let folders = [FileName.unfinished, files, keys]

    /// The meaning of a name in the folder of sealed files.
    enum Found: Equatable {
        case file(SealedName, isCopy: Bool)
        case placeholder
        case ignored
    }

    static func read(_ name: String) -> Found {
        let lowered = Array(name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 })
        let isHidden = lowered.first == UInt8(ascii: ".")
        let start = isHidden ? 1 : 0
        if let (found, rest) = stem(lowered[start...]) { return read(found, rest, isHidden: isHidden, isCopy: false) }
        if isHidden { return .ignored }
        for index in lowered.indices where lowered[index] == UInt8(ascii: " ") {
            guard let (found, rest) = stem(lowered[(index + 1)...]) else { continue }
            return read(found, rest, isHidden: false, isCopy: true)
        }
        return .ignored
    }

    private static func read(_ name: SealedName, _ rest: String, isHidden: Bool, isCopy: Bool) -> Found {
        guard rest.firstRange(of: SealedName.ending) != nil else { return .ignored }
        if StrayName.isPlaceholder(rest, of: SealedName.ending, isHidden: isHidden) { return .placeholder }
        if isHidden || StrayName.isUnfinished(rest, of: SealedName.ending) { return .ignored }
        return .file(name, isCopy: isCopy || rest != SealedName.ending)
    }

    /// Reads tag and hash.
    private static func stem(_ bytes: ArraySlice<UInt8>) -> (SealedName, String)? {
        let digits = SealedName.digits
        guard bytes.count > 2 * digits + 1 else { return nil }
        let start = bytes.startIndex
        let tag = bytes[start..<start + digits]
        let hash = bytes[(start + digits + 1)..<(start + 2 * digits + 1)]
        let rest = bytes[(start + 2 * digits + 1)...]
        guard bytes[start + digits] == UInt8(ascii: "-"), tag.allSatisfy(isHex), hash.allSatisfy(isHex) else {
            return nil
        }
        let name = SealedName(tag: String(decoding: tag, as: UTF8.self), hash: String(decoding: hash, as: UTF8.self))
        return (name, String(decoding: rest, as: UTF8.self))
    }

    static func isHex(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (97...102).contains(byte) }

    // MARK: The folder of keys

    /// A file in the folder of keys.
    enum Key: Equatable {
        case epoch(EpochID, hash: String)
        case slot(hash: String)
        case request(hash: String)
    }

    static func path(_ key: Key) -> String {
        switch key {
        case .epoch(let id, let hash): "\(keys)/\(id)-\(hash).epoch"
        case .slot(let hash): "\(keys)/\(hash).slot"
        case .request(let hash): "\(keys)/\(hash).request"
        }
    }

    /// Reads a name in the folder of keys; a conflict copy counts, as its hash shows whether it is whole.
    static func key(_ name: String) -> Key? {
        let lowered = String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
        let first = lowered.utf8.prefix(while: isHex)
        guard first.count == SealedName.digits else { return nil }
        let head = String(decoding: Array(first), as: UTF8.self)
        let rest = lowered.dropFirst(head.count)
        guard !StrayName.isUnfinished(String(rest), of: ".") else { return nil }
        if rest.first == "-", let id = EpochID(head) {
            let second = rest.dropFirst().utf8.prefix(while: isHex)
            guard second.count == SealedName.digits, rest.contains(".epoch") else { return nil }
            return .epoch(id, hash: String(decoding: Array(second), as: UTF8.self))
        }
        if rest.contains(".slot") { return .slot(hash: head) }
        return rest.contains(".request") ? .request(hash: head) : nil
    }
}
