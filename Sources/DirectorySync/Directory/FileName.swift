internal import RecordMerge

/// The names of files in the shared directory, written and read.
///
/// Reading ignores the case of ASCII letters, as some file systems show all in upper case.
enum FileName {
    static let writers = "w"
    static let checkpoints = "ckpt"
    static let unfinished = "tmp"
    /// The folders of a shared directory.
    static let folders = [unfinished, writers, checkpoints]
    static let readme = "README.txt"
    /// The least digits of a number, and the most.
    private static let digits = 10...16

    // MARK: Writing

    static func path(_ kind: ListedFile.Kind, writer: WriterID, sequence: Int, last: Int, hash: String) -> String {
        let number = padded(sequence)
        return switch kind {
        case .segment: "\(writers)/\(writer)/\(number)-\(hash).seg"
        case .pack: "\(writers)/\(writer)/\(number)-\(padded(last))-\(hash).pack"
        case .checkpoint: "\(checkpoints)/\(writer)-\(number)-\(hash).ck"
        }
    }

    private static func padded(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits.lowerBound - text.utf8.count)) + text
    }

    /// Returns whether a text can be the name of a writer's folder, or of a space.
    static func isPlain(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isPlain)
    }

    static func isPlain(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (97...122).contains(byte) }

    // MARK: Reading

    /// The meaning of a name in a folder.
    enum Found: Equatable {
        case file(ListedFile)
        case placeholder
        case ignored
    }

    /// Reads a name in a writer's folder, or in the folder of checkpoints for no writer.
    static func read(_ name: String, in folder: String, of writer: WriterID?) -> Found {
        if let writer, let file = segment(name, in: folder, of: writer) { return .file(file) }
        var scanner = NameScanner(name)
        let isHidden = scanner.skip(".")
        guard let stem = scanner.stem(of: writer, digits) else {
            return isHidden ? .ignored : copy(name, in: folder, of: writer)
        }
        guard let kind = stem.kinds.first(where: { scanner.has(".\($0.rawValue)") }) else { return .ignored }
        let rest = scanner.rest
        let ending = ".\(kind.rawValue)"
        if StrayName.isPlaceholder(rest, of: ending, isHidden: isHidden) { return .placeholder }
        if isHidden || StrayName.isUnfinished(rest, of: ending) { return .ignored }
        return .file(stem.file(kind, "\(folder)/\(name)", isConflictCopy: rest != ending))
    }

    /// Reads a name with words before it, such as `Copy of ….seg`.
    private static func copy(_ name: String, in folder: String, of writer: WriterID?) -> Found {
        for index in name.utf8.indices where name.utf8[index] == UInt8(ascii: " ") {
            var scanner = NameScanner(String(name[name.utf8.index(after: index)...]))
            guard let stem = scanner.stem(of: writer, digits) else { continue }
            guard let kind = stem.kinds.first(where: { scanner.has(".\($0.rawValue)") }),
                !StrayName.isUnfinished(scanner.rest, of: ".\(kind.rawValue)")
            else { return .ignored }
            return .file(stem.file(kind, "\(folder)/\(name)", isConflictCopy: true))
        }
        return .ignored
    }

    /// Reads a segment's usual name, which nearly all have; nil for any other.
    private static func segment(_ name: String, in folder: String, of writer: WriterID) -> ListedFile? {
        let start = digits.lowerBound + 1
        guard name.utf8.count == start + ContentHash.length + 4, name.hasSuffix(".seg") else { return nil }
        var number = 0
        for (index, byte) in name.utf8.prefix(start + ContentHash.length).enumerated() {
            let isDigit = (48...57).contains(byte)
            if index < start - 1 {
                guard isDigit else { return nil }
                number = 10 * number + Int(byte - 48)
            } else if index < start {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard isDigit || (97...102).contains(byte) else { return nil }
            }
        }
        guard number > 0 else { return nil }
        let hash = String(name.dropFirst(start).dropLast(4))
        return ListedFile(.segment, path: folder + "/" + name, writer: writer, sequence: number, hash: hash)
    }

    /// Returns the writer of a folder; a folder that a transport renamed still belongs to the writer.
    static func writer(ofFolder name: String) -> WriterID? {
        var scanner = NameScanner(name)
        guard let text = scanner.plain(), StrayName.isSuffix(scanner.rest) else { return nil }
        return WriterID(text)
    }

    /// Tells whether a folder has that name, or is a transport's renamed copy of it.
    static func isFolder(_ name: String, _ wanted: String) -> Bool {
        var scanner = NameScanner(name)
        return scanner.plain() == wanted && StrayName.isSuffix(scanner.rest)
    }
}

/// The beginning of a file's name.
struct NameStem {
    /// The kinds of file that can have such a name.
    var kinds: [ListedFile.Kind]
    var writer: WriterID
    var sequence: Int
    var last: Int
    var hash: String

    /// Returns the file of that kind.
    func file(_ kind: ListedFile.Kind, _ path: String, isConflictCopy: Bool) -> ListedFile {
        ListedFile(
            kind,
            path: path,
            writer: writer,
            sequence: sequence,
            last: last,
            hash: hash,
            isConflictCopy: isConflictCopy
        )
    }
}

/// Takes a name apart from its beginning.
struct NameScanner {
    private var bytes: ArraySlice<UInt8>

    init(_ name: String) {
        bytes = name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }[...]
    }

    /// The rest of the name.
    var rest: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns whether the rest contains an ending.
    func has(_ ending: String) -> Bool {
        let ending = Array(ending.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: ending) }
    }

    mutating func skip(_ text: String) -> Bool {
        guard bytes.starts(with: text.utf8) else { return false }
        bytes = bytes.dropFirst(text.utf8.count)
        return true
    }

    private mutating func run(_ belongs: (UInt8) -> Bool) -> String {
        let run = bytes.prefix(while: belongs)
        bytes = bytes.dropFirst(run.count)
        return String(decoding: run, as: UTF8.self)
    }

    /// Reads a run of digits and letters.
    mutating func plain() -> String? {
        let text = run(FileName.isPlain)
        return FileName.isPlain(text) ? text : nil
    }

    /// Reads a number as names have it, from 1 on.
    private mutating func number(_ digits: ClosedRange<Int>) -> Int? {
        let text = run { (48...57).contains($0) }
        let count = text.utf8.count
        guard digits.contains(count), count == digits.lowerBound || !text.hasPrefix("0") else { return nil }
        return Int(text).flatMap { $0 > 0 ? $0 : nil }
    }

    private mutating func hash() -> String? {
        let text = run { (48...57).contains($0) || (97...102).contains($0) }
        // A text with another letter after it is longer than a hash.
        guard text.utf8.count == ContentHash.length, !(bytes.first.map(FileName.isPlain) ?? false) else { return nil }
        return text
    }

    /// Reads the numbers and the hash: one number for a segment, two for a pack, writer and number for a checkpoint.
    mutating func stem(of writer: WriterID?, _ digits: ClosedRange<Int>) -> NameStem? {
        guard let writer else {
            guard let text = plain(), let writer = WriterID(text), skip("-"), let number = number(digits), skip("-"),
                let hash = hash()
            else { return nil }
            return NameStem(kinds: [.checkpoint], writer: writer, sequence: number, last: number, hash: hash)
        }
        guard let first = number(digits), skip("-") else { return nil }
        let start = bytes
        if let last = number(digits), last >= first, skip("-") {
            guard let hash = hash() else { return nil }
            return NameStem(kinds: [.pack], writer: writer, sequence: first, last: last, hash: hash)
        }
        bytes = start
        guard let hash = hash() else { return nil }
        return NameStem(kinds: [.segment], writer: writer, sequence: first, last: first, hash: hash)
    }
}
