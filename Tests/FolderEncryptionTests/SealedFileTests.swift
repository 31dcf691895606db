import AgeFile
import Crypto
import FolderEncryption
import Foundation
import StrictJSON
import Testing

/// A key of known bytes.
func fixedKey(_ first: UInt8 = 0) throws -> EpochKey {
    try #require(EpochKey((0..<32).map { first &+ UInt8($0) }))
}

func encryptionError(_ body: () throws -> Void) -> EncryptionError? {
    do {
        try body()
        return nil
    } catch {
        return error as? EncryptionError
    }
}

@Suite struct SealedFileTests {
    private static let space = "0123456789abcdef"
    private static let path = "w/abcdefghijkl/0000000001-00112233445566778899aabbccddeeff.seg"

    private func sealed(_ content: [UInt8], _ key: EpochKey) throws -> [UInt8] {
        try FileSealer.seal(content, path: Self.path, space: Self.space, key)
    }

    @Test(arguments: [0, 1, 1023, 1024, 1025, 65_535, 65_536, 65_537, 200_000])
    func contentComesBack(_ length: Int) throws {
        let key = EpochKey()
        let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try sealed(content, key)
        #expect(file.count == SealedLayout.size(length))
        let (identity, opened) = try FileOpener.open(file) { $0 == key.id ? key : nil }
        #expect(opened == content)
        #expect(identity == SealedIdentity(space: Self.space, path: Self.path, length: length))
    }

    @Test func partsAreReadFromAnyPlace() throws {
        let key = EpochKey()
        let content = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let file = try sealed(content, key)
        let opener = try FileOpener(size: file.count, key: { _ in key }) { offset, buffer in
            let count = max(0, min(buffer.count, file.count - offset))
            if count > 0 { buffer.copyBytes(from: file[offset..<offset + count]) }
            return count
        }
        for (offset, count) in [(0, 10), (65_530, 20), (140_000, 50_000), (149_999, 1), (150_000, 5)] {
            var buffer = [UInt8](repeating: 0, count: count)
            let found = try buffer.withUnsafeMutableBytes { try opener.read(at: offset, into: $0) }
            #expect(Array(buffer[..<found]) == Array(content[offset..<min(content.count, offset + count)]))
        }
    }

    @Test func eachTurnedByteIsRefused() throws {
        let key = EpochKey()
        let file = try sealed(Array("a change".utf8), key)
        for index in file.indices {
            var bad = file
            bad[index] ^= 0x01
            let error = encryptionError { _ = try FileOpener.open(bad) { $0 == key.id ? key : nil } }
            let expected: EncryptionError.Code =
                index < 8 ? .notSealed : index < 16 ? .tooNew : index < 32 ? .noKey : .damaged
            #expect(error?.code == expected, "byte \(index)")
        }
    }

    @Test func eachCutFileIsRefused() throws {
        let key = EpochKey()
        let file = try sealed([UInt8](repeating: 7, count: 70_000), key)
        for length in Array(0..<700) + Array(stride(from: 700, to: file.count, by: 97)) + [file.count - 1] {
            let error = encryptionError { _ = try FileOpener.open(Array(file[..<length])) { _ in key } }
            #expect(error?.code == (length < 64 ? .notSealed : .damaged), "\(length) bytes")
        }
        #expect(encryptionError { _ = try FileOpener.open(file + [0]) { _ in key } }?.code == .damaged)
    }

    @Test func partsOfOtherFilesAreRefused() throws {
        let key = EpochKey()
        let one = try sealed([UInt8](repeating: 1, count: 140_000), key)
        let two = try sealed([UInt8](repeating: 2, count: 140_000), key)
        let chunk = 65_552
        for range in [0..<64, 32..<64, 64..<592, 592..<592 + chunk, one.count - 100..<one.count] {
            var mixed = one
            mixed.replaceSubrange(range, with: two[range])
            #expect(encryptionError { _ = try FileOpener.open(mixed) { _ in key } }?.code == .damaged, "\(range)")
        }
        // Two chunks of one file in the other order.
        let first = 592..<592 + chunk
        let second = first.upperBound..<first.upperBound + chunk
        var swapped = one
        swapped.replaceSubrange(first, with: one[second])
        swapped.replaceSubrange(second, with: one[first])
        #expect(encryptionError { _ = try FileOpener.open(swapped) { _ in key } }?.code == .damaged)
    }

    @Test func anotherKeyIsToldFromDamage() throws {
        let (key, other) = (EpochKey(), EpochKey())
        let file = try sealed([1, 2, 3], key)
        #expect(encryptionError { _ = try FileOpener.open(file) { $0 == other.id ? other : nil } }?.code == .noKey)
        // A key that is not the one of the identifier.
        #expect(encryptionError { _ = try FileOpener.open(file) { _ in other } }?.code == .damaged)
        var newer = file
        newer[8] = 2
        #expect(encryptionError { _ = try FileOpener.open(newer) { _ in key } }?.code == .tooNew)
    }

    @Test func sizesTellLittle() {
        #expect(SealedLayout.padded(0) == 1024 && SealedLayout.padded(1024) == 1024)
        for length in stride(from: 1, to: 3_000_000, by: 997) {
            let padded = SealedLayout.padded(length)
            #expect(padded >= length && (length < 1024 || padded * 100 <= length * 112))
        }
        let sizes = Set((1024..<1_048_576).map(SealedLayout.padded))
        #expect(sizes.count < 400)
    }

    @Test func namesAreKeyed() throws {
        let (key, other) = (try fixedKey(), try fixedKey(1))
        let identity = SealedIdentity(space: Self.space, path: Self.path, length: 3)
        let name = SealedName(identity, key, hash: "00")
        #expect(name.tag == SealedName(identity, key, hash: "11").tag)
        #expect(name.tag != SealedName(identity, other, hash: "00").tag)
        var moved = identity
        moved.path += "x"
        #expect(name.tag != SealedName(moved, key, hash: "00").tag)
        moved = identity
        moved.space = "other"
        #expect(name.tag != SealedName(moved, key, hash: "00").tag)
    }

    /// The vector of docs/security.md.
    @Test func vector() throws {
        let key = try fixedKey()
        let salt = (0..<32).map { UInt8(0xA0 + $0) }
        let file = try FileSealer.seal(Array("hello".utf8), path: Self.path, space: Self.space, key, salt: salt)
        let hash = Hex.text(Array(SHA256.hash(data: file)))
        let identity = SealedIdentity(space: Self.space, path: Self.path, length: 5)
        let tag = SealedName(identity, key, hash: "").tag
        let found = ["epoch \(key.id)", "identity \(Hex.text(file[64..<96]))", "sha256 \(hash)", "tag \(tag)"]
        let page = try String(contentsOf: repository("docs/security.md"), encoding: .utf8)
        for line in found { #expect(page.contains(line), "docs/security.md lacks: \(line)") }
    }
}

/// A file of the repository.
func repository(_ path: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent(path)
}
