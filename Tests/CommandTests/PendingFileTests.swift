@testable import CommandSupport
@testable import FileSystem
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

struct PendingFileTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("A pending file is written in pieces, read back and renamed; the mode of what was there stays")
    func commit() throws {
        let path = try sandbox.write("notes.json", "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let pending = try PendingFile(in: sandbox.folder.path)
        for piece in ["one ", "two ", "three"] { try pending.write(Array(piece.utf8)) }
        var read: [UInt8] = []
        try pending.forEachPiece { read.append(contentsOf: $0) }
        #expect(String(decoding: read, as: UTF8.self) == "one two three")
        #expect(try sandbox.bytes("notes.json") == Array("old".utf8))
        try pending.commit(as: OutputFile(path))
        #expect(try sandbox.bytes("notes.json") == Array("one two three".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try sandbox.names() == ["notes.json"])
    }

    @Test("What does not come to its name goes, and nothing that is no ordinary file is replaced")
    func given() throws {
        do {
            let pending = try PendingFile(in: sandbox.folder.path + "/")
            try pending.write([1, 2, 3])
            #expect(try sandbox.names().count == 1)
        }
        #expect(try sandbox.names().isEmpty)
        try FileManager.default.createDirectory(atPath: sandbox.path("folder"), withIntermediateDirectories: false)
        let pending = try PendingFile(in: sandbox.folder.path)
        #expect(throws: FileError.self) { try pending.commit(as: OutputFile(sandbox.path("folder"))) }
        #expect(throws: FileError.self) { try PendingFile(in: sandbox.path("missing")) }
    }

    @Test("Leftovers are removed, and what is being written is not")
    func leftovers() throws {
        let pending = try PendingFile(in: sandbox.folder.path)
        try sandbox.write(".satchel-99-0.tmp", "left")
        try sandbox.write("satchel-99-0.tmp", "mine")
        PendingFile.removeLeftovers(in: sandbox.folder.path)
        let own = String(pending.path.split(separator: "/").last ?? "")
        #expect(try sandbox.names() == [own, "satchel-99-0.tmp"])
    }

    @Test("Only the owner can read a pending file; a new file gets the mode that any new file gets")
    func mode() throws {
        let names = FileManager.default
        func mode(_ path: String) throws -> Int? { try names.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
        let secret = try sandbox.write("secret.json", "old")
        try names.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        let pending = try PendingFile(in: sandbox.folder.path)
        #expect(try mode(pending.path) == 0o600)
        try pending.commit(as: secret)
        #expect(try mode(secret) == 0o600)
        let plain = sandbox.path("plain")
        try Files.makeEmpty(plain)
        let other = try PendingFile(in: sandbox.folder.path)
        #expect(try mode(other.path) == 0o600)
        try other.commit(as: sandbox.path("new.json"))
        #expect(try mode(sandbox.path("new.json")) == mode(plain))
        try Files.write([1], to: sandbox.path("whole.json"))
        #expect(try mode(sandbox.path("whole.json")) == mode(plain))
        #expect(try sandbox.names() == ["new.json", "plain", "secret.json", "whole.json"])
    }

    @Test("A file system without locks takes pending files; where locking fails otherwise, none is left")
    func withoutLocks() throws {
        for reason in [Errno.noLocks, .notSupported, .noFunction] {
            let file = try PendingFile.make(in: sandbox.folder.path + "/", "notes.json") { file throws(FileError) in
                throw FileError(.lock, file.path, reason)
            }
            #expect(try sandbox.names().count == 1)
            try Files.remove(file.path)
        }
        let failure = #expect(throws: FileError.self) {
            try PendingFile.make(in: sandbox.folder.path + "/", "notes.json") { file throws(FileError) in
                throw FileError(.lock, file.path, .ioError)
            }
        }
        #expect(failure?.errno == .ioError && failure?.path == "notes.json")
        #expect(try sandbox.names().isEmpty)
    }

    @Test("A file that has the name of a leftover since that was opened stays")
    func leftoverThatIsAnother() throws {
        let path = try sandbox.write(".satchel-99-0.tmp", "first")
        let opened = try OpenFile(reading: path)
        try Files.rename(path, to: sandbox.path("notes.json"))
        try sandbox.write(".satchel-99-0.tmp", "second")
        PendingFile.removeLeftover(opened)
        #expect(try sandbox.names() == [".satchel-99-0.tmp", "notes.json"])
        PendingFile.removeLeftovers(in: sandbox.folder.path)
        #expect(try sandbox.names() == ["notes.json"])
    }

    @Test("Folders and names of paths go apart by slashes, also where an accent follows one")
    func paths() {
        #expect(Files.folder(of: "/a/b") == "/a" && Files.folder(of: "/a") == "/" && Files.folder(of: "a") == ".")
        #expect(Files.folder(of: "/a/b/\u{301}c") == "/a/b" && Files.name(of: "/a/b/\u{301}c") == "\u{301}c")
        #expect(Files.folderPrefix(of: "a/\u{301}c") == "a/" && Files.folderPrefix(of: "a") == "")
        #expect(Files.name(of: "a") == "a" && Files.name(of: "a/") == "")
        #expect(Files.foldersAbove("/a/\u{301}b/c") == ["/a/\u{301}b", "/a"] && Files.foldersAbove("a").isEmpty)
    }

    @Test("A quote stays one for the shell where an accent follows it")
    func shellQuotes() throws {
        let name = "x'\u{301}; echo broken #"
        #expect(ShellText.quoted(name) == "'x'\\''\u{301}; echo broken #'")
    }

    @Test("Progress is shown on a terminal alone, after a second and ten times a second at most")
    func progress() {
        for isTerminal in [true, false] {
            let screen = Screen()
            let progress = ProgressLine(
                isTerminal: isTerminal,
                now: { screen.moment.withLock { $0 } },
                write: { line in screen.lines.withLock { $0.append(line) } }
            )
            for step in 0..<300 {
                progress.show("Writing", done: step, of: 300)
                screen.moment.withLock { $0 += .milliseconds(10) }
            }
            progress.end()
            let shown = screen.lines.withLock { $0 }
            #expect(shown.count == (isTerminal ? 21 : 0))
            guard isTerminal else { continue }
            #expect(shown.first == "Writing 100 of 300 (33 %)")
            // After two seconds it is known how long the rest takes.
            #expect(shown[10] == "Writing 200 of 300 (66 %, 1 s left)")
            #expect(shown.last == "")
        }
    }

    @Test("The first bytes of a file")
    func head() throws {
        let path = try sandbox.write("x", [UInt8](repeating: 7, count: 600))
        #expect(try InputFile.head(of: path).count == 512)
        #expect(try InputFile.head(of: sandbox.write("y", "abc")) == Array("abc".utf8))
        #expect(throws: CommandFailure.self) { try InputFile.head(of: sandbox.path("z")) }
    }
}

/// A terminal with a clock of its own.
private final class Screen: Sendable {
    let moment = Mutex(ContinuousClock.now)
    let lines = Mutex<[String]>([])
}
