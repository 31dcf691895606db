import TestSupport
import Testing

@testable import AgeFile

/// The pieces that a writer gives.
private final class Collected {
    var bytes: [UInt8] = []
    var keeps = true
    private(set) var count = 0
    private(set) var largest = 0

    func take(_ piece: UnsafeRawBufferPointer) {
        if keeps { bytes += piece }
        count += piece.count
        largest = max(largest, piece.count)
    }
}

@Suite("Files of age, written and read") struct RoundTripTests {
    private static let sizes = [0, 1, 15, 16, 17, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 400_000]

    @Test("Content of any length comes back, in pieces of any length", arguments: sizes, [false, true])
    func comesBack(size: Int, isArmored: Bool) throws {
        var random = SeededGenerator(seed: UInt64(size))
        let content = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        let recipients = [AgeIdentity().recipient, try Forge.recipient()]
        let collected = Collected()
        let writer = try AgeWriter(.recipients(recipients), isArmored: isArmored, sink: collected.take)
        var rest = content[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Int.random(in: 1...100_000, using: &random)))
            try piece.withUnsafeBytes { try writer.write($0) }
            rest = rest.dropFirst(piece.count)
        }
        try writer.finish()
        let file = collected.bytes
        #expect(AgeReader.isAge(file.prefix(512)))
        #expect(isArmored == file.allSatisfy { $0 < 0x80 })
        #expect(Opened.withIdentity(file).content == content)
        var offset = 0
        let reader = try AgeReader { buffer in
            let count = min(buffer.count, file.count - offset, Int.random(in: 1...70_000, using: &random))
            buffer.copyBytes(from: file[offset..<offset + count])
            offset += count
            return count
        }
        #expect(reader.access == .recipients(2))
        try reader.unlock(with: [try Forge.identity()])
        #expect(try reader.readAll(limit: size) == content)
        #expect(try reader.readAll(limit: 0) == [])
    }

    @Test("A passphrase opens what it locked, and another one does not")
    func passphrase() throws {
        let content = Array("a title".utf8)
        let file = try AgeWriter.encrypt(content, .passphrase(try AgePassphrase("päss word"), workFactor: 4))
        #expect(Opened.withPassphrase(file, "päss word").content == content)
        #expect(Opened.withPassphrase(file, "pass word").code == .wrongPassphrase)
        #expect(Opened.withIdentity(file).code == .needsPassphrase)
        // After a wrong one the right one still opens it.
        let reader = try AgeReader(file)
        #expect(reader.access == .passphrase)
        #expect(throws: AgeError.self) { try reader.unlock(with: try AgePassphrase("no")) }
        try reader.unlock(with: try AgePassphrase("päss word"))
        #expect(try reader.readAll(limit: 100) == content)
    }

    @Test("Two files of the same content have nothing in common but the first line")
    func fresh() throws {
        let lock = AgeLock.recipients([try Forge.recipient()])
        let (one, other) = (try AgeWriter.encrypt([1, 2, 3], lock), try AgeWriter.encrypt([1, 2, 3], lock))
        #expect(one.count == other.count)
        #expect(zip(one.dropFirst(33), other.dropFirst(33)).count { $0 == $1 } < one.count / 3)
    }

    @Test("A reader gives nothing before it is unlocked, nor after a fault")
    func order() throws {
        var file = try AgeWriter.encrypt([UInt8](repeating: 1, count: 70_000), .recipients([try Forge.recipient()]))
        let locked = try AgeReader(file)
        #expect(throws: AgeError.self) { try locked.readAll(limit: .max) }
        file[file.count - 1] ^= 1
        let reader = try AgeReader(file)
        try reader.unlock(with: [try Forge.identity()])
        for _ in 0..<2 {
            let error = try #require(throws: AgeError.self) { try reader.readAll(limit: .max) }
            #expect(error.code == .chunkDamaged && error.chunk == 2)
        }
    }

    @Test("Content beyond the caller's limit is refused")
    func limit() throws {
        let file = try AgeWriter.encrypt([UInt8](repeating: 1, count: 70_000), .recipients([try Forge.recipient()]))
        let reader = try AgeReader(file)
        try reader.unlock(with: [try Forge.identity()])
        let error = try #require(throws: AgeError.self) { try reader.readAll(limit: 69_999) }
        #expect(error.code == .tooLarge)
    }

    @Test("What was written is read back with the key at hand, and a fault is found")
    func verified() throws {
        let file = Collected()
        let writer = try AgeWriter(.recipients([AgeIdentity().recipient]), sink: file.take)
        try [UInt8](repeating: 9, count: 100).withUnsafeBytes { try writer.write($0) }
        try writer.finish()
        func source(_ bytes: [UInt8]) -> (UnsafeMutableRawBufferPointer) -> Int {
            var isRead = false
            return { buffer in
                defer { isRead = true }
                if isRead { return 0 }
                buffer.copyBytes(from: bytes)
                return bytes.count
            }
        }
        try writer.verify(source(file.bytes))
        for index in file.bytes.indices {
            var damaged = file.bytes
            damaged[index] ^= 4
            #expect(throws: AgeError.self) { try writer.verify(source(damaged)) }
        }
        #expect(throws: AgeError.self) { try writer.finish() }
    }

    @Test("No recipient, too many, one of low order, or a work factor beyond the greatest are refused")
    func locks() throws {
        let zero = AgeRecipient(publicKey: [UInt8](repeating: 0, count: 32))
        let many = [AgeRecipient](repeating: try Forge.recipient(), count: AgeHeader.mostStanzas + 1)
        let passphrase = try AgePassphrase("x")
        let locks: [AgeLock] = [
            .recipients([]), .recipients(many), .recipients([zero]), .passphrase(passphrase, workFactor: 0),
            .passphrase(passphrase, workFactor: 31),
        ]
        for lock in locks { #expect(throws: AgeError.self) { try AgeWriter.encrypt([], lock) } }
    }

    @Test("Memory does not grow with the file", .timeLimit(.minutes(2)))
    func streams() throws {
        // 64 MiB pass through a buffer of which nothing is kept.
        let piece = [UInt8](repeating: 3, count: 1 << 20)
        let collected = Collected()
        collected.keeps = false
        let writer = try AgeWriter(.recipients([try Forge.recipient()]), sink: collected.take)
        for _ in 0..<64 { try piece.withUnsafeBytes { try writer.write($0) } }
        try writer.finish()
        #expect(collected.count > 64 << 20 && collected.largest <= ChunkCipher.length + ChunkCipher.overhead)
    }
}

@Suite("Damaged files of age") struct DamageTests {
    private static func files() throws -> [(name: String, bytes: [UInt8], isPassphrase: Bool)] {
        let content = Array("what nobody else may know".utf8)
        let recipients = AgeLock.recipients([try Forge.recipient(), AgeIdentity().recipient])
        let passphrase = AgeLock.passphrase(try AgePassphrase("password"), workFactor: 2)
        return [
            ("recipients", try AgeWriter.encrypt(content, recipients), false),
            ("passphrase", try AgeWriter.encrypt(content, passphrase), true),
            ("armor", try AgeWriter.encrypt(content, recipients, isArmored: true), false),
        ]
    }

    private func open(_ bytes: [UInt8], _ isPassphrase: Bool) -> Opened {
        isPassphrase ? .withPassphrase(bytes) : .withIdentity(bytes)
    }

    @Test("Each byte turned, each bit of it: the file is refused and nothing given out")
    func turned() throws {
        for (name, bytes, isPassphrase) in try Self.files() {
            for index in bytes.indices {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[index] ^= 1 << bit
                    let opened = open(damaged, isPassphrase)
                    #expect(opened.error != nil && opened.content.isEmpty, "\(name), byte \(index), bit \(bit)")
                }
            }
        }
    }

    @Test("Cut at each place, the file is refused and nothing given out")
    func cut() throws {
        for (name, bytes, isPassphrase) in try Self.files() {
            for count in bytes.indices where name != "armor" || count < bytes.count - 1 {
                let opened = open(Array(bytes.prefix(count)), isPassphrase)
                #expect(opened.error != nil && opened.content.isEmpty, "\(name), \(count) bytes")
            }
        }
    }

    @Test("With a byte taken out or put in at each place, the file is refused")
    func shifted() throws {
        for (name, bytes, isPassphrase) in try Self.files() {
            for index in bytes.indices where name != "armor" || index < bytes.count - 1 {
                var (shorter, longer) = (bytes, bytes)
                shorter.remove(at: index)
                longer.insert(0x41, at: index)
                #expect(open(shorter, isPassphrase).error != nil, "\(name) without byte \(index)")
                #expect(open(longer, isPassphrase).error != nil, "\(name) with a byte at \(index)")
            }
            #expect(open(bytes + [0x41], isPassphrase).error != nil, "\(name) with a byte at the end")
        }
    }

    @Test("Random edits of a file: refused, or the content is the same")
    func mutated() throws {
        let files = try Self.files()
        let whole = Array("what nobody else may know".utf8)
        for seed in UInt64(1)...3000 {
            var random = SeededGenerator(seed: seed)
            let (name, original, isPassphrase) = random.pick(files)
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let (one, other) = (
                    Int.random(in: 0...bytes.count, using: &random), Int.random(in: 0...bytes.count, using: &random)
                )
                let range = min(one, other)..<max(one, other)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes.removeSubrange(range)
                case 1: bytes.insert(contentsOf: bytes[range], at: one)
                case 2: bytes.replaceSubrange(range, with: random.pick(files).bytes.prefix(range.count))
                case 3:
                    bytes.insert(contentsOf: random.pick(["\n", " ", "-> ", "--- ", "=", "\r\n", "A"]).utf8, at: one)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: one)
                }
            }
            let opened = open(bytes, isPassphrase)
            #expect(opened.error != nil || opened.content == whole, "\(name), seed \(seed)")
            #expect(opened.code != AgeError.Code("other"), "\(name), seed \(seed)")
        }
    }

    @Test("The header of one file does not fit the payload of another")
    func mixed() throws {
        let (one, other) = (try Forge(), try Forge())
        var mixed = one
        mixed.salt = other.salt
        let sealed = try other.sealed().flatMap { $0 }
        #expect(Opened.withIdentity(one.header() + other.salt + sealed).code == .chunkDamaged)
        #expect(Opened.withIdentity(one.header() + one.salt + sealed).code == .chunkDamaged)
        var stanzas = one
        stanzas.lines += other.lines
        #expect(Opened.withIdentity(try stanzas.bytes()).code == nil)
        let header = String(decoding: one.header(), as: UTF8.self)
        let added = header.replacing("\n---", with: "\n" + other.lines.joined(separator: "\n") + "\n---")
        #expect(Opened.withIdentity(Array(added.utf8) + one.salt).code == .headerDamaged)
    }
}
