import Testing
import TestSupport

@testable import DirectorySync

@Suite("Spaces")
struct SpacesTests {
    private func spaces(_ names: [String]) -> Spaces {
        var spaces = Spaces()
        for name in names {
            switch Spaces.marker(name) {
            case .root(let space): spaces.add(root: space)
            case .adoption(let adoption): spaces.add(adoption)
            case nil: break
            }
        }
        return spaces
    }

    @Test("Markers are known by their names, conflict copies and placeholders among them")
    func markers() {
        for name in [
            "satchel-abc1.root", "SATCHEL-ABC1.ROOT", "satchel-abc1.sync-conflict-20260101-120000-ABCDEFG.root",
            "satchel-abc1 (conflicted copy 2026-01-01).root", "satchel-abc1 (1).root", "satchel-abc1-LAPTOP.root",
            ".satchel-abc1.root.icloud",
        ] {
            #expect(Spaces.marker(name) == .root("abc1"), "\(name)")
        }
        for name in [
            "satchel-a.into-b", "satchel-a (1).into-b", "satchel-a.into-b (1)", "satchel-a.sync-conflict-1.into-b",
        ] {
            #expect(Spaces.marker(name) == .adoption(Spaces.Adoption("a", into: "b")), "\(name)")
        }
        for name in [
            "satchel-.root", "satchel.root", "satchel-a", "satchel-a.roots", "a.root", "satchel-a.into-", "README.txt",
        ] {
            #expect(Spaces.marker(name) == nil, "\(name)")
        }
    }

    @Test(
        "All devices find the same space, however often one was adopted",
        arguments: [
            (["satchel-a.root"], ["a": "a"]),
            (["satchel-a.root", "satchel-b.root"], ["a": "a", "b": "b"]),
            (["satchel-a.root", "satchel-b.root", "satchel-a.into-b"], ["a": "b", "b": "b"]),
            (["satchel-c.root", "satchel-a.into-b", "satchel-b.into-c"], ["a": "c", "b": "c", "c": "c"]),
            // Nobody goes on in a space without a marker of its own.
            (["satchel-b.root", "satchel-a.into-b", "satchel-b.into-c"], ["a": "b", "b": "b", "c": "b"]),
            // Two devices adopt each the other's.
            (["satchel-a.into-b", "satchel-b.into-a"], ["a": "a", "b": "a"]),
            // One is adopted twice: all three are one.
            (["satchel-b.into-a", "satchel-b.into-c"], ["a": "a", "b": "a", "c": "a"]),
            (["satchel-b.root", "satchel-a.into-b", "satchel-c.root"], ["a": "b", "b": "b", "c": "c"]),
        ]
    )
    func adoptions(_ names: [String], _ expected: [String: String]) {
        let spaces = spaces(names)
        for (space, current) in expected { #expect(spaces.current(of: space) == current, "\(space)") }
        #expect(spaces.known == Set(expected.keys))
        #expect(spaces.current == Set(expected.values).sorted())
        #expect(self.spaces(names.reversed()) == spaces)
    }

    @Test("Two devices begin apart; one space goes on in the other")
    func adopt() throws {
        let fixture = try DirectoryFixture(isEmpty: true)
        try DirectoryFixture.create(fixture.directory.path, space: "a")
        // The other device's marker arrives.
        try fixture.sandbox.write("satchel-b.root", "{}\n")
        // It stops neither, as anybody can write one.
        for space in ["a", "b"] { try fixture.directory.check(space) }
        #expect(try fixture.directory.spaces().current == ["a", "b"])
        #expect(try directoryError { try fixture.directory.adopt("a", into: "c") }?.code == .otherSpace)
        #expect(try directoryError { try fixture.directory.adopt("a", into: "a") }?.code == .adopted)
        try fixture.directory.adopt("b", into: "a")
        try fixture.directory.adopt("b", into: "a")
        try fixture.directory.check("a")
        let error = try directoryError { try fixture.directory.check("b") }
        #expect(error?.code == .adopted)
        #expect(error?.spaces == ["a"])
        #expect(try directoryError { try fixture.directory.adopt("a", into: "b") }?.code == .adopted)
        #expect(try fixture.directory.spaces().adoptions == [Spaces.Adoption("b", into: "a")])
        let marker = String(decoding: try fixture.sandbox.bytes("satchel-b.into-a"), as: UTF8.self)
        #expect(marker == "{\"format\":\"satchel-adoption\",\"version\":1,\"space\":\"b\",\"into\":\"a\"}\n")
    }

    @Test("A marker of a newer version stops; one that is damaged or not there yet does not")
    func versions() throws {
        let fixture = try DirectoryFixture()
        let name = Spaces.rootName(DirectoryFixture.space)
        for text in ["", "{", "{\"version\":1}", "\u{0}\u{0}"] {
            try fixture.sandbox.write(name, text)
            try fixture.directory.check(DirectoryFixture.space)
        }
        try fixture.sandbox.write(name, "{\"format\":\"satchel-space\",\"version\":2}\n")
        #expect(try directoryError { try fixture.directory.check(DirectoryFixture.space) }?.code == .newer)
        try fixture.sandbox.remove(name)
        try fixture.sandbox.write(".\(name).icloud", "")
        try fixture.directory.check(DirectoryFixture.space)
    }
}
