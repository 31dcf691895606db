import ArchiveIO
import Foundation
import RecordMerge
import StrictJSON
import TestSupport

@testable import DirectorySync

/// What an attacker put into a shared folder.
struct HostileFile {
    /// What it is, for a test that fails.
    var words: String
    /// What was added, below the folder.
    var paths: [String]
    /// Whether it is a change or a checkpoint that a reader has to take: then somebody edited, which leaves a trace.
    var isEdit = false
}

/// Writes hostile files by a seed: a grammar over every kind of file, and every field of it.
struct HostileFiles {
    private var random: SeededGenerator
    private let folder: String
    private let space: String
    private let honest: [(path: String, bytes: [UInt8])]
    private let writers: [String]

    init(seed: UInt64, folder: String) throws {
        random = SeededGenerator(seed: seed)
        self.folder = folder
        let files = try Transport.files(folder)
        honest = try files.filter { path in [".seg", ".ck", ".pack"].contains { path.hasSuffix($0) } }.map { path in
            (path, [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + path))))
        }
        space = files.first { $0.hasSuffix(".root") }.map { String($0.dropFirst(8).dropLast(5)) } ?? ""
        writers = Set(files.filter { $0.hasPrefix("w/") }.map { String($0.split(separator: "/")[1]) }).sorted()
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    // MARK: The grammar

    /// Writes one hostile file, or some that belong together.
    mutating func plant() throws -> HostileFile {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35: try lines(.segment)
        case 35..<60: try lines(.checkpoint)
        case 60..<72: try pack()
        case 72..<80: try kind()
        case 80..<88: try stray()
        case 88..<92: try marker()
        case 92..<96: try copy()
        default: try crowd()
        }
    }

    /// A segment or a checkpoint of another file's lines, of which some are not what they should be.
    private mutating func lines(_ kind: ListedFile.Kind) throws -> HostileFile {
        let ending = ".\(kind.rawValue)"
        let base = pick(honest.filter { $0.path.hasSuffix(ending) })
        var lines = String(decoding: try ZstdCoding.expanded(base.bytes), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        let old = try name(base.path)
        // A reader takes a forgery that is right in all its parts, and refuses most of the others at the first look.
        let isForgery = chance(50)
        // An unknown writer, the next change of a known one, or one of the far future.
        var (writer, sequence) = (pick(["evil", "0", "zzzzzzzzzzzz"]), pick([1, 2, old.sequence, 1000, 1 << 53]))
        if kind == .segment, chance(40) { writer = isForgery ? old.writer : pick(writers) }
        if isForgery, kind == .segment {
            sequence = writer == old.writer && chance(50) ? old.sequence + 1 : old.sequence
        }
        var words = ["\(base.path) as \(writer) \(sequence)"]
        lines[0] = lines[0].replacing("\"writer\":\"\(old.writer)\"", with: "\"writer\":\"\(writer)\"")
            .replacing("\"sequence\":\(old.sequence),", with: "\"sequence\":\(sequence),")
        if isForgery ? kind == .segment || chance(20) : chance(50) {
            lines = lines.map { $0.replacing("[\"\(old.writer)\",\(old.sequence)", with: "[\"\(writer)\",\(sequence)") }
            words.append("with its stamps")
        }
        if kind == .segment, isForgery, sequence > old.sequence {
            let last = JSONValue.string(ContentHash.of(base.bytes))
            let number = JSONValue.number(old.sequence)
            let heads = try object(lines[0], "heads", with: writer, .array([number, last]))
            let after = try object(lines[1], "base", with: writer, number)
            lines[0] = try header(try header(lines[0], "previous", last), "heads", heads)
            lines[1] = try header(lines[1], "base", after)
        }
        if kind == .checkpoint {
            // Otherwise it may tell of changes of others that they do not have.
            let claims = try claims(writer, sequence, like: lines, isForgery: isForgery)
            lines =
                [try header(lines[0], "heads", claims.heads), try header(lines[1], "seen", claims.seen)] + lines[2...]
            words.append("heads \(claims.heads.text(.compact))")
            if chance(isForgery ? 10 : 30) {
                let forks = forks(of: writer)
                lines[0] = try header(lines[0], "forks", forks)
                words.append("forks \(forks.text(.compact))")
            }
        }
        if isForgery {
            for _ in 0..<Int.random(in: 1...3, using: &random) { words.append(lie(&lines)) }
        } else {
            for _ in 0..<Int.random(in: 0...2, using: &random) { words.append(mutate(&lines)) }
        }
        var text = Array(lines.joined(separator: "\n").utf8) + [10]
        if !isForgery, chance(8) { words.append(spoil(&text)) }
        let bytes = isForgery ? try ZstdCoding.compressed(text) : try packed(text, &words)
        return try put(bytes, kind, writer, sequence, words)
    }

    /// Changes what a record says, so that a reader can take it: what no app writes, or what its device did not enter.
    private mutating func lie(_ lines: inout [String]) -> String {
        let index = Int.random(in: 2..<lines.count, using: &random)
        let values = [
            "notes": #""of the attacker""#, "created_at": #""no date""#, "archived": "7", "due_date": #""9999-99-99""#,
            "depends_on_task_id": pick([#""t6""#, #""nothing""#]), "scheduled_for": "[1]",
        ]
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            lines[index] = lines[index].replacing(#""collection":"tasks""#, with: #""collection":"teapots""#)
            return "line \(index + 1) in a collection of its own"
        case 1 where lines[index].contains(#""version":"#) && lines[index].contains(#""t6""#):
            let start = lines[index].range(of: #""version":"#)?.upperBound ?? lines[index].endIndex
            lines[index].replaceSubrange(start..., with: "null}")
            return "line \(index + 1) deleted"
        case 2:
            lines[index] = lines[index].replacing(#""is_done":false"#, with: #""is_done":true"#)
            return "line \(index + 1) done"
        default:
            let (name, value) = pick(values.sorted { $0.key < $1.key })
            guard let cell = lines[index].range(of: "[\"\(name)\","),
                let number = lines[index][cell.upperBound...].firstIndex(of: ","),
                let end = lines[index][number...].firstIndex(of: "]")
            else { return "nothing" }
            lines[index].replaceSubrange(lines[index].index(after: number)..<end, with: value)
            return "\(name) \(value) in line \(index + 1)"
        }
    }

    /// Returns an object in a line with another member, in the order of names.
    private func object(_ line: String, _ name: String, with member: String, _ value: JSONValue) throws -> JSONValue {
        var members = [member: value]
        for known in try JSONDocument(parsing: Array(line.utf8)).root[name]?.value.object ?? [:] {
            members[known.name] = members[known.name] ?? known.value
        }
        return Self.object(members)
    }

    private static func object(_ members: [String: JSONValue]) -> JSONValue {
        var object = JSONObject()
        for name in members.keys.sorted() { object[name] = members[name] }
        return .object(object)
    }

    /// What a checkpoint says that it has seen: itself, and of others more than they have.
    private mutating func claims(
        _ writer: String,
        _ sequence: Int,
        like lines: [String],
        isForgery: Bool
    ) throws -> (heads: JSONValue, seen: JSONValue) {
        let known = try JSONDocument(parsing: Array(lines[0].utf8)).root.value.object?["heads"]?.object ?? [:]
        let digits = String(repeating: "e", count: ContentHash.length)
        var heads: [String: JSONValue] = [:]
        // The state has records of all whom the honest one has seen.
        if isForgery { for head in known { heads[head.name] = head.value } }
        for name in [writer] + (chance(isForgery ? 40 : 70) ? [pick(writers)] : []) {
            let number = name == writer ? sequence : pick([2, 3, 9, 1000, 1 << 53])
            heads[name] = .array([.number(number), .string(digits)])
        }
        let seen = heads.mapValues { head in head.array?.first ?? .null }
        return (Self.object(heads), Self.object(seen))
    }

    /// Forks of which each is the branch of the next, in a circle or in a long line, or which are of honest writers.
    private mutating func forks(of writer: String) -> JSONValue {
        let hash = String(repeating: "f", count: ContentHash.length)
        // Names are cut off: from the second on, with one number, each is its own branch.
        let (count, isOneNumber) = (pick([2, 3, 400]), chance(50))
        var name = pick([writer] + writers)
        var forks: [JSONValue] = []
        for index in 1...count {
            let number = isOneNumber ? 1 : index
            let fork = WriterID(name).flatMap { WriterFork($0, from: number, mark: hash) }
            let branch = chance(95) ? fork?.branch.description ?? "evil" : pick(["evil", "other"] + writers)
            forks.append(
                .array([.string(name), .number(number), .string(hash), .string(branch)])
            )
            name = branch
        }
        return .array(forks)
    }

    private func header(_ line: String, _ member: String, _ value: JSONValue) throws -> String {
        var object = try JSONDocument(parsing: Array(line.utf8)).root.value.object ?? [:]
        object[member] = value
        return JSONValue.object(object).text(.compact)
    }

    private func name(_ path: String) throws -> (writer: String, sequence: Int) {
        let file = String(path.split(separator: "/").last ?? "")
        let parts = file.split(separator: "-").map(String.init)
        let isSegment = path.hasPrefix("w/")
        let writer = isSegment ? String(path.split(separator: "/")[1]) : parts[0]
        return (writer, Int(isSegment ? parts[0] : parts[1]) ?? 1)
    }

    /// Values that are of the wrong kind, too large, or not there.
    private static let values: [String] = [
        "null", "true", "-1", "0", "1", "9007199254740993", "1e999999999", "-0.0", "\"\"", "\"a\\u0000b\"",
        "\"\u{200B}\u{202E}\"",
        "[]", "{}", "[[[[]]]]", "{\"a\":{\"a\":{\"a\":1}}}", "\"\\ud800\"", "\"../../etc/passwd\"", "garbage", "",
        String(repeating: "[", count: 300) + String(repeating: "]", count: 300),
        "\"" + String(repeating: "x", count: 70_000) + "\"",
        "[" + Array(repeating: "1", count: 20_000).joined(separator: ",") + "]",
    ]

    /// Makes something of some line wrong; says what.
    private mutating func mutate(_ lines: inout [String]) -> String {
        let index = Int.random(in: lines.indices, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            lines.remove(at: index)
            if lines.isEmpty { lines = [""] }
            return "line \(index + 1) missing"
        case 1:
            lines.insert(lines[index], at: index)
            return "line \(index + 1) twice"
        case 2:
            lines.insert(pick(Self.values), at: index)
            return "a stray line \(index + 1)"
        case 3:
            lines[index] = String(lines[index].prefix(lines[index].count / 2))
            return "line \(index + 1) cut off"
        default:
            return value(&lines[index]) + " in line \(index + 1)"
        }
    }

    /// Replaces, removes or doubles one value anywhere in a line of JSON.
    private mutating func value(_ line: inout String) -> String {
        let bytes = Array(line.utf8)
        // Each value follows one of these.
        let starts = bytes.indices.filter { [0x3A, 0x5B, 0x2C].contains(bytes[$0]) }
        guard let start = starts.randomElement(using: &random) else { return "nothing" }
        var end = start + 1
        var depth = 0
        var isText = false
        while end < bytes.count {
            let byte = bytes[end]
            if byte == 0x22, bytes[end - 1] != 0x5C { isText.toggle() }
            if !isText {
                if [0x5B, 0x7B].contains(byte) { depth += 1 }
                if [0x5D, 0x7D].contains(byte) {
                    if depth == 0 { break }
                    depth -= 1
                }
                if byte == 0x2C, depth == 0 { break }
            }
            end += 1
        }
        let old = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        let new = chance(15) ? "\(old),\(old)" : pick(Self.values)
        line = String(decoding: bytes[...start] + Array(new.utf8) + bytes[end...], as: UTF8.self)
        return "\(old.prefix(30)) as \(new.prefix(30))"
    }

    /// Makes something of the text as a whole wrong.
    private mutating func spoil(_ text: inout [UInt8]) -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            text.removeLast()
            return "without its last line feed"
        case 1:
            text[Int.random(in: text.indices, using: &random)] = 0xFF
            return "a byte that is no UTF-8"
        case 2:
            text.insert(0, at: Int.random(in: text.indices, using: &random))
            return "a NUL"
        default:
            text += [UInt8](repeating: 0x20, count: 3_000_000)
            return "an endless line"
        }
    }

    /// The bytes of the file for a text.
    private mutating func packed(_ text: [UInt8], _ words: inout [String]) throws -> [UInt8] {
        var bytes = try ZstdCoding.compressed(text)
        switch Int.random(in: 0..<24, using: &random) {
        case 0:
            words.append("not compressed")
            return text
        case 1:
            words.append("cut off")
            bytes.removeLast(bytes.count / 3)
        case 2:
            words.append("a bit flipped")
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 3:
            words.append("followed by garbage")
            bytes += [1, 2, 3, 4, 5]
        case 4:
            words.append("twice")
            bytes += bytes
        case 5:
            words.append("empty")
            bytes = []
        case 6:
            words.append("a bomb behind it")
            bytes += try ZstdCoding.compressed([UInt8](repeating: 0x20, count: 64 << 20))
        case 7:
            words.append("a frame to pass over")
            bytes = [0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4] + bytes
        default: break
        }
        return bytes
    }

    /// Writes a file of the layout under the hash of its bytes, or under another.
    private mutating func put(
        _ bytes: [UInt8],
        _ kind: ListedFile.Kind,
        _ writer: String,
        _ sequence: Int,
        last: Int? = nil,
        _ words: [String]
    ) throws -> HostileFile {
        let isFalse = chance(8)
        let hash = isFalse ? String(repeating: "a", count: ContentHash.length) : ContentHash.of(bytes)
        guard let name = WriterID(writer) else { throw POSIXError(.EINVAL) }
        let path = FileName.path(kind, writer: name, sequence: sequence, last: last ?? sequence, hash: hash)
        let words = words + (isFalse ? ["a false hash"] : [])
        guard !FileManager.default.fileExists(atPath: folder + "/" + path) else {
            return HostileFile(words: "nothing new", paths: [])
        }
        try Transport.put(bytes, folder + "/" + path)
        let file = ListedFile(kind, writer: name, sequence: sequence, last: last ?? sequence, hash: hash)
        let isEdit = !isFalse && isReadable(file, bytes)
        return HostileFile(words: "\(path): \(words.joined(separator: ", "))", paths: [path], isEdit: isEdit)
    }

    /// Whether a file is what a reader has to take.
    private func isReadable(_ file: ListedFile, _ bytes: [UInt8]) -> Bool {
        switch file.kind {
        case .segment: return (try? Segment(decoding: bytes)) != nil
        case .pack:
            let segments = try? SyncDirectory(folder).segments(of: file)
            return segments?.contains { (try? Segment(decoding: $0.bytes)) != nil } ?? false
        case .checkpoint: return (try? SyncDirectory(folder).readState(of: file) { _, _, _ in }) != nil
        }
    }

    // MARK: Other kinds

    /// A pack whose index, or whose segments, are not what they should be.
    private mutating func pack() throws -> HostileFile {
        let segments = honest.filter { $0.path.hasSuffix(".seg") }
        var words = ["a pack"]
        var entries: [String] = []
        var body: [UInt8] = []
        for number in 1...Int.random(in: 1...3, using: &random) {
            var bytes = pick(segments).bytes
            if chance(50) {
                bytes = try ZstdCoding.compressed(Array("{\"format\":\"satchel-segment\"}\ngarbage\n".utf8))
            }
            let size = pick([bytes.count, bytes.count, 0, -1, 1 << 40])
            let hash = chance(80) ? ContentHash.of(bytes) : "zz"
            entries.append("{\"sequence\":\(number),\"hash\":\"\(hash)\",\"bytes\":\(size)}")
            body += bytes
        }
        var index = "{\"format\":\"satchel-pack\",\"version\":1,\"segments\":[\(entries.joined(separator: ","))]}"
        if chance(50) { words.append(value(&index)) }
        let length = pick([index.utf8.count, index.utf8.count, 0, Int(UInt32.max)])
        let prefix = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        let bytes = [0x50, 0x2A, 0x4D, 0x18] + prefix + Array(index.utf8) + body
        return try put(bytes, .pack, chance(50) ? "evil" : pick(writers), 1, last: entries.count, words)
    }

    /// A folder, a link, a pipe or a sparse file in place of a file.
    private mutating func kind() throws -> HostileFile {
        let ending: ListedFile.Kind = pick([.segment, .pack, .checkpoint])
        guard let writer = WriterID(pick(["evil"] + writers)) else { throw POSIXError(.EINVAL) }
        let hash = String(repeating: "b", count: ContentHash.length)
        let name = FileName.path(ending, writer: writer, sequence: 77, last: 77, hash: hash)
        let path = pick([
            name, name, name, name, name + " (1)", "README (1).txt", "satchel-abc.root", "satchel-abc.into-\(space)",
            "w/evil", "ckpt/evil", "seen/evil", "tmp/\(writer).0", "seen/\(writer).evil.61.abcdef-1.left.seen",
        ])
        let place = folder + "/" + path
        var status = stat()
        // Also where the other hostile file is a link to nowhere.
        guard lstat(place, &status) != 0 else { return HostileFile(words: "nothing new", paths: []) }
        let parent = (place as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        let what = pick([
            "folder", "link to nowhere", "link to itself", "link to /dev/zero", "link to a file", "link to the root",
            "link to the folder", "link to a change", "pipe", "sparse",
        ])
        switch what {
        case "folder": try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        case "pipe": guard mkfifo(place, 0o600) == 0 else { throw POSIXError(.EIO) }
        case "sparse":
            try Transport.put([0x28], place)
            guard truncate(place, off_t(pick([1 << 28, 1 << 31, 1 << 41]))) == 0 else { throw POSIXError(.EIO) }
        default:
            let targets = [
                "link to nowhere": "/nowhere", "link to itself": place, "link to /dev/zero": "/dev/zero",
                "link to a file": "/etc/passwd", "link to the root": "/", "link to the folder": folder,
                "link to a change": folder + "/" + (honest.first?.path ?? ""),
            ]
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: targets[what] ?? "/nowhere")
        }
        return HostileFile(words: "\(path): a \(what)", paths: [path])
    }

    /// A name that is none of the layout's, or nearly one.
    private mutating func stray() throws -> HostileFile {
        let writer = pick(writers)
        let zeros = String(repeating: "0", count: 32)
        let path = pick([
            "w/evil", "w/.evil/x.seg", "w/\(writer)/x.seg", "w/\(writer)/0000000000-\(zeros).seg",
            "w/\(writer)/99999999999999999999-\(zeros).seg", "w/\(writer)/0000000002-0000000001-\(zeros).pack",
            "w/\(writer)/\(String(repeating: "9", count: 200)).seg", "w/\(writer)/a\nb\u{200B}.seg", "ckpt/evil",
            "ckpt/\(writer)-0000000001.ck", "W2/x", "w (1)/\(writer)/0000000001-\(zeros).seg", "README (1).txt",
            ".root",
            "tmp/\(writer).1", "tmp/x/y", "satchel-.root", "satchel-\(space).roots",
            "w/\(writer)/0000000001-\(zeros).seg/x",
            "w/\(writer.uppercased())x/0000000001-\(zeros).SEG", "w/evil/0000000001-\(zeros).seg.icloud/deep/er",
        ])
        try Transport.put(chance(50) ? [] : Array("garbage\n".utf8), folder + "/" + path)
        return HostileFile(words: "a stray \(path.debugDescription)", paths: [path])
    }

    /// A marker that says that this space goes on elsewhere, or the other way round.
    private mutating func marker() throws -> HostileFile {
        let path = pick([
            "satchel-\(space).into-abc", "satchel-abc.into-\(space)", "satchel-\(space).into-\(space)",
            "satchel-\(space) (1).root", "satchel-abc.into-def", ".satchel-\(space).root.icloud",
            "satchel-\(space).into-\(String(repeating: "z", count: 64))", "satchel-0.root",
            "satchel-zzzzzzzzzzzzzzzz.root",
        ])
        try Transport.put(Array(pick(Self.values).utf8), folder + "/" + path)
        return HostileFile(words: "the marker \(path)", paths: [path])
    }

    /// A conflict copy of an honest file, with other bytes in it.
    private mutating func copy() throws -> HostileFile {
        let file = pick(honest)
        var bytes = file.bytes
        bytes[Int.random(in: bytes.indices, using: &random)] ^= 0x10
        if chance(50) { bytes = Array(bytes.prefix(bytes.count / 2)) }
        let dot = file.path.lastIndex(of: ".") ?? file.path.endIndex
        let mark = pick([" (1)", ".sync-conflict-20260101-120000-ABCDEFG", " (conflicted copy 2026-01-01)", "~1"])
        let path = file.path[..<dot] + mark + file.path[dot...]
        try Transport.put(bytes, folder + "/" + path)
        // A flipped bit may leave what can be read: then it is another continuation, and so an edit.
        let isEdit = file.path.hasSuffix(".seg") && (try? Segment(decoding: bytes)) != nil
        return HostileFile(words: "a damaged copy \(path)", paths: [String(path)], isEdit: isEdit)
    }

    /// Many files at once.
    private mutating func crowd() throws -> HostileFile {
        var paths: [String] = []
        let kind: ListedFile.Kind = pick([.segment, .checkpoint])
        for number in 1...Int.random(in: 20...200, using: &random) {
            let bytes = try ZstdCoding.compressed(Array("{\"format\":\"satchel-\(number)\"}\n".utf8))
            guard let writer = WriterID("evil\(number % 7)") else { throw POSIXError(.EINVAL) }
            let path = FileName.path(kind, writer: writer, sequence: number, last: number, hash: ContentHash.of(bytes))
            try Transport.put(bytes, folder + "/" + path)
            paths.append(path)
        }
        return HostileFile(words: "\(paths.count) files such as \(paths[0])", paths: paths)
    }
}
