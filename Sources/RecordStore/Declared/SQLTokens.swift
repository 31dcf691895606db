/// A part of an SQL text.
enum SQLToken: Equatable {
    /// A word without quotes, in small letters: a keyword, a name or a number.
    case word(String)
    /// A name or text in quotes, without them.
    case quoted(String)
    case sign(Character)

    /// The table or column that it names, in small letters; nil for a sign.
    var name: String? {
        switch self {
        case .word(let name): name
        case .quoted(let name): name.lowercased()
        case .sign: nil
        }
    }

    /// Returns the tokens of a text that SQLite accepts, without comments and white space.
    static func tokens(of sql: String) -> [SQLToken] {
        let bytes = Array(sql.utf8)
        var found: [SQLToken] = []
        var index = 0
        func byte(_ place: Int) -> Character? {
            place < bytes.count ? Character(Unicode.Scalar(bytes[place])) : nil
        }
        while let first = byte(index) {
            let start = index
            index += 1
            if first == "-", byte(index) == "-" {
                while let next = byte(index), next != "\n" { index += 1 }
            } else if first == "/", byte(index) == "*" {
                index += 1
                while let next = byte(index), next != "*" || byte(index + 1) != "/" { index += 1 }
                index += 2
            } else if ["'", "\"", "`", "["].contains(first) {
                let end: Character = first == "[" ? "]" : first
                var text: [UInt8] = []
                while let next = byte(index) {
                    if next == end {
                        // A quote that is doubled stands for itself.
                        guard end != "]", byte(index + 1) == end else { break }
                        index += 1
                    }
                    text.append(bytes[index])
                    index += 1
                }
                index += 1
                found.append(.quoted(String(decoding: text, as: UTF8.self)))
            } else if isInWord(bytes[start]) {
                while index < bytes.count, isInWord(bytes[index]) { index += 1 }
                found.append(.word(String(decoding: bytes[start..<index], as: UTF8.self).lowercased()))
            } else if !first.isWhitespace {
                found.append(.sign(first))
            }
        }
        return found
    }

    /// Tells whether SQLite never gives out an integer twice in the table that a statement makes.
    static func isAutoincrement(_ sql: String) -> Bool { tokens(of: sql).contains(.word("autoincrement")) }

    private static func isInWord(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return byte >= 0x80 || character.isLetter || character.isNumber || character == "_" || character == "$"
    }
}

extension Collection<SQLToken> {
    /// Returns whether words without quotes follow each other somewhere in the text.
    func contains(words: String) -> Bool {
        let phrase = words.lowercased().split(separator: " ").map { SQLToken.word(String($0)) }
        return indices.contains { self[$0...].starts(with: phrase) }
    }
}

/// The tables and columns that the statements of a trigger write, in small letters.
struct TriggerWrites {
    /// The columns that they set in existing rows, by table.
    private(set) var set: [String: Set<String>] = [:]
    /// The tables to which they add rows.
    private(set) var inserted: Set<String> = []
    /// The tables from which they delete rows.
    private(set) var deleted: Set<String> = []

    /// All tables that they write.
    var tables: Set<String> { inserted.union(deleted).union(set.keys) }

    private static let verbs: [SQLToken] = [
        .word("update"), .word("insert"), .word("replace"), .word("delete"), .word("select"),
    ]

    /// Reads the statement that makes a trigger, as SQLite keeps it.
    init(_ sql: String) {
        let tokens = SQLToken.tokens(of: sql)
        // The trigger or a column of its condition may be called "begin" as well.
        let begin = tokens.indices.dropLast().first { index in
            tokens[index] == .word("begin") && Self.verbs.contains(tokens[index + 1])
        }
        guard let begin else { return }
        for statement in tokens[(begin + 1)...].split(whereSeparator: { $0 == .sign(";") }) { read(statement) }
    }

    private mutating func read(_ statement: ArraySlice<SQLToken>) {
        var rest = statement
        let verb = rest.popFirst()
        if rest.first == .word("or") { rest = rest.dropFirst(2) }
        if rest.first == .word("into") || rest.first == .word("from") { rest = rest.dropFirst() }
        guard let table = rest.popFirst()?.name else { return }
        if verb == .word("update") {
            guard let start = rest.firstIndex(of: .word("set")) else { return }
            set[table, default: []].formUnion(Self.columns(setIn: rest[(start + 1)...]))
        } else if verb == .word("delete") {
            deleted.insert(table)
        } else if verb == .word("insert") || verb == .word("replace") {
            inserted.insert(table)
            let upsert: [SQLToken] = [.word("do"), .word("update"), .word("set")]
            for start in rest.indices where rest[start...].starts(with: upsert) {
                set[table, default: []].formUnion(Self.columns(setIn: rest[(start + 3)...]))
            }
        }
    }

    /// Returns the columns that assignments set: the names before the first `=` of each.
    private static func columns(setIn tokens: ArraySlice<SQLToken>) -> Set<String> {
        var found: Set<String> = []
        var depth = 0
        var isValue = false
        var previous: SQLToken?
        for token in tokens {
            defer { previous = token }
            switch token {
            case .sign("("): depth += 1
            case .sign(")"): depth -= 1
            case .sign("=") where depth == 0: isValue = true
            case .sign(",") where depth == 0: isValue = false
            case .word("where"), .word("returning"), .word("on"):
                if depth == 0 { return found }
            case .word("from") where depth == 0 && previous != .word("distinct"): return found
            default:
                if !isValue, let name = token.name { found.insert(name) }
            }
        }
        return found
    }
}
