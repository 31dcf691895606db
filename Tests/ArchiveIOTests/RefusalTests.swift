import ArchiveIO
import Testing

/// What is refused in both kinds of archive.
@Suite struct RefusalTests {
    static let names: [(String, String)] = [
        ("/etc/passwd", "archive.name-absolute"), ("../a.json", "archive.name-traversal"),
        ("a/../../b.json", "archive.name-traversal"), ("..", "archive.name-traversal"),
        // A slash and an accent after it are one character.
        ("../\u{301}b.json", "archive.name-traversal"), ("a/../\u{301}b.json", "archive.name-traversal"),
        ("a\\b.json", "archive.name-backslash"), ("C:a.json", "archive.name-drive"),
        ("a\u{1}.json", "archive.name-control"), ("a\u{7F}.json", "archive.name-control"),
        ("a\u{9B}31m.json", "archive.name-control"), ("a\u{202E}nosj.exe", "archive.name-control"),
        ("a\nb.json", "archive.name-control"), (".", "archive.name-empty"),
    ]

    @Test(arguments: names) func badName(_ name: String, _ expected: String) {
        #expect(readingCode(ZipBuilder("ok.json", name).bytes) == expected)
        #expect(readingCode(TarBuilder("ok.json", name).bytes) == expected)
        #expect(readingCode(gzip(TarBuilder("ok.json", name).bytes)) == expected)
    }

    @Test func emptyName() {
        #expect(readingCode(ZipBuilder("").bytes) == "archive.name-empty")
    }

    @Test func nameThatIsNotUTF8() {
        let name = utf8("caf") + [0xE9] + utf8(".json")
        var zip = ZipBuilder("a.json")
        zip.entries[0].name = name
        zip.entries[0].flags = 0
        #expect(readingCode(zip.bytes) == "archive.name-encoding")
        var tar = TarBuilder("a.json")
        tar.entries[0].name = name
        #expect(readingCode(tar.bytes) == "archive.name-encoding")
    }

    @Test func nameWithNUL() {
        var zip = ZipBuilder("a.json")
        zip.entries[0].name = utf8("a.json\u{0}../b")
        #expect(readingCode(zip.bytes) == "archive.name-control")
    }

    @Test(arguments: [
        ("a.json", "a.json", "archive.duplicate-name"), ("a.json", "./a.json", "archive.duplicate-name"),
        ("a.json", "A.JSON", "archive.similar-name"), ("straße.json", "STRASSE.json", "archive.similar-name"),
        ("\u{E9}.json", "e\u{301}.json", "archive.similar-name"),
    ])
    func sameName(_ first: String, _ second: String, _ expected: String) {
        #expect(readingCode(ZipBuilder(first, "other.json", second).bytes) == expected)
        #expect(readingCode(TarBuilder(first, "other.json", second).bytes) == expected)
    }

    @Test(
        arguments: [
            ("1", "archive.hard-link"), ("2", "archive.symbolic-link"), ("3", "archive.special-file"),
            ("4", "archive.special-file"), ("6", "archive.special-file"),
        ] as [(Character, String)]
    )
    func kindInTar(_ type: Character, _ expected: String) {
        var tar = TarBuilder("a.json")
        tar.entries.append(TarBuilder.Entry("b", type: type, link: "/etc/passwd"))
        #expect(readingCode(tar.bytes) == expected)
    }

    @Test(
        arguments: [
            (0o120777, "archive.symbolic-link"), (0o020666, "archive.special-file"), (0o060666, "archive.special-file"),
            (0o140666, "archive.special-file"),
        ] as [(UInt32, String)]
    )
    func kindInZip(_ mode: UInt32, _ expected: String) {
        var zip = ZipBuilder("a.json", "b")
        zip.entries[1].mode = mode
        #expect(readingCode(zip.bytes) == expected)
    }

    /// Info-ZIP marks what it packs from its standard input as a FIFO, with ordinary content.
    @Test func pipeInZip() throws {
        var zip = ZipBuilder("a.json")
        zip.entries[0].mode = 0o010666
        #expect(try readAll(zip.bytes).count == 1)
    }

    @Test(arguments: [0x0001, 0x0041, 0x2000] as [UInt16]) func encrypted(_ flags: UInt16) {
        var zip = ZipBuilder("a.json")
        zip.entries[0].flags = flags
        #expect(readingCode(zip.bytes) == "archive.encrypted")
    }

    @Test func errorsAreFinal() throws {
        let reader = try ArchiveReader(.bytes(TarBuilder("../a", "b").bytes))
        for _ in 0..<3 { #expect(code { _ = try reader.next() } == "archive.name-traversal") }
        #expect(code { try reader.read { _ in } } == "archive.name-traversal")
    }

    @Test func messagesNameFileAndEntry() {
        let error = #expect(throws: ArchiveError.self) { try readAll(ZipBuilder("a\u{1B}[2J.json").bytes) }
        #expect(error?.file == "test")
        #expect(
            error?.description
                == "test: error[archive.name-control]: the name has control characters in it (in entry \"a\\u{1b}[2J.json\")"
        )
    }
}
