import AgeFile
import FolderEncryption
import Foundation
import Testing

@Suite struct SlotTests {
    private static let space = "0123456789abcdef"

    private func read(_ slot: Slot) throws -> Slot { try Slot(reading: slot.encoded(), space: Self.space) }

    @Test func passphraseOpens() throws {
        let key = EpochKey()
        let slot = try read(Slot.passphrase(AgePassphrase("good"), key, space: Self.space, workFactor: 10))
        #expect(try slot.open(with: AgePassphrase("good")) == key)
        #expect(try slot.open(with: AgePassphrase("bad")) == nil)
    }

    @Test func recoveryCodeOpens() throws {
        let key = EpochKey()
        let code = RecoveryCode()
        let slot = try read(Slot.recovery(code, key, space: Self.space))
        #expect(slot.open(with: try RecoveryCode(reading: code.text().lowercased())) == key)
        #expect(slot.open(with: RecoveryCode()) == nil)
    }

    @Test func deviceOpens() throws {
        let key = EpochKey()
        let (device, other) = (try DeviceKey(), try DeviceKey())
        let slot = try read(Slot.device(device.publicKey, key, space: Self.space))
        #expect(try slot.open(with: device) == key)
        #expect(try slot.open(with: other) == nil)
    }

    @Test func slotIsOfOneSpace() throws {
        let slot = try Slot.recovery(RecoveryCode(), EpochKey(), space: Self.space)
        #expect(encryptionError { _ = try Slot(reading: slot.encoded(), space: "other") }?.code == .damaged)
    }

    @Test(arguments: [18, 40, 63, 1 << 40, 0, -1])
    func hostileWorkIsRefusedBeforeDeriving(_ factor: Int) throws {
        let slot = try Slot.passphrase(AgePassphrase("good"), EpochKey(), space: Self.space, workFactor: 10)
        let text = String(decoding: slot.encoded(), as: UTF8.self)
        for (old, new) in [
            ("\"log2n\":10", "\"log2n\":\(factor)"), ("\"r\":8", "\"r\":1073741824"), ("\"p\":1", "\"p\":9"),
        ] {
            let hostile = text.replacingOccurrences(of: old, with: new)
            #expect(hostile != text)
            let error = encryptionError { _ = try Slot(reading: Array(hostile.utf8), space: Self.space) }
            #expect(error?.code == .workFactor)
        }
    }

    @Test func eachTurnedByteOfASlotIsHarmless() throws {
        let key = EpochKey()
        let device = try DeviceKey()
        let code = RecoveryCode()
        for slot in [
            try Slot.recovery(code, key, space: Self.space), try Slot.device(device.publicKey, key, space: Self.space),
        ] {
            let bytes = slot.encoded()
            for index in bytes.indices {
                var bad = bytes
                bad[index] ^= 0x04
                guard let read = try? Slot(reading: bad, space: Self.space) else { continue }
                #expect(read.open(with: code) == nil, "byte \(index)")
                #expect(try read.open(with: device) == nil, "byte \(index)")
            }
        }
    }

    @Test func requestsHaveWords() throws {
        let device = try DeviceKey()
        let request = try JoinRequest(
            reading: JoinRequest(device.publicKey).encoded(space: Self.space),
            space: Self.space
        )
        #expect(request.publicKey == device.publicKey)
        let words = request.words(space: Self.space)
        #expect(words.split(separator: " ").count == 6)
        #expect(words != request.words(space: "other"))
        #expect(PairingWords.areSame(words, "  " + words.uppercased() + "\n"))
        #expect(!PairingWords.areSame(words, request.words(space: "other")))
        #expect(!PairingWords.areSame("", ""))
        let key = EpochKey()
        #expect(PairingWords.of(key, device.publicKey) != PairingWords.of(EpochKey(), device.publicKey))
    }

    @Test func recoveryCodesAreChecked() throws {
        let code = try #require(RecoveryCode((0..<20).map { UInt8($0) }))
        let text = code.text()
        #expect(text.split(separator: "-").count == 9)
        #expect(try RecoveryCode(reading: text.replacingOccurrences(of: "-", with: " ")).text() == text)
        #expect(try RecoveryCode(reading: text.replacingOccurrences(of: "0", with: "o")).text() == text)
        for dash in ["\u{2013}", "\u{2014}", " \u{2011} ", "\n", "\r\n"] {
            #expect(try RecoveryCode(reading: text.replacingOccurrences(of: "-", with: dash)).text() == text)
        }
        for index in text.indices where text[index] != "-" {
            let other = text[index] == "A" ? "B" : "A"
            let wrong = text.replacingCharacters(in: index...index, with: other)
            #expect(encryptionError { _ = try RecoveryCode(reading: wrong) }?.code == .recoveryCode)
        }
        #expect(encryptionError { _ = try RecoveryCode(reading: "AAAA") }?.code == .recoveryCode)
        let page = try String(contentsOf: repository("docs/security.md"), encoding: .utf8)
        #expect(page.contains(text), "docs/security.md lacks the recovery code \(text)")
    }

    @Test func secretsAreNotPrinted() throws {
        let (key, code, device) = (EpochKey(), RecoveryCode(), try DeviceKey())
        var texts: [String] = []
        for secret in [key, code, device] as [Any] {
            var text = ""
            dump(secret, to: &text)
            texts += ["\(secret)", text, String(reflecting: secret)]
        }
        for text in texts {
            #expect(!text.contains(key.secretText()) && !text.contains(code.text()))
            #expect(!text.contains(device.secretText()))
        }
    }
}

@Suite struct KeyRingTests {
    private func first() throws -> KeyRing {
        KeyRing(space: "s", device: try DeviceKey(), EpochKey(), EpochRecord())
    }

    private func onDevice(_ ring: KeyRing) throws -> KeyRing {
        KeyRing(space: "s", device: try DeviceKey(), ring.current.key, ring.current.record)
    }

    @Test func theNextEpochIsTakenIn() throws {
        var ring = try first()
        let old = ring.current.key
        let (key, record) = ring.next(removing: ["x"], closed: ["aa"], heads: ["w": 3])
        let read = try EpochRecord(reading: record.encoded(space: "s"), space: "s")
        #expect(ring.adopt(key, read) == .current)
        #expect(ring.current.key == key && ring.key(old.id) == old)
        #expect(ring.counts(old.id, hash: "aa") && !ring.counts(old.id, hash: "bb") && ring.counts(key.id, hash: "bb"))
        #expect(ring.adopt(old, EpochRecord()) == .known)
        let again = try KeyRing(reading: ring.encoded(), space: "s")
        #expect(again.current.key == key && again.key(old.id) == old && again.current.record.removed == ["x"])
        #expect(again.current.record.heads == ["w": 3])
    }

    @Test func epochsOfOneTimeAreKept() throws {
        let ring = try first()
        var (one, two) = (ring, try onDevice(ring))
        let (left, right) = (
            one.next(removing: [], closed: [], heads: [:]), two.next(removing: [], closed: [], heads: [:])
        )
        for (ring, order) in [(0, [left, right]), (1, [right, left])] {
            var mine = ring == 0 ? one : two
            for epoch in order { #expect(mine.adopt(epoch.key, epoch.record) != .refused) }
            #expect(mine.current.key.id == max(left.key.id, right.key.id))
            #expect(mine.counts(left.key.id, hash: "") && mine.counts(right.key.id, hash: ""))
            let (key, record) = mine.next(removing: [], closed: [], heads: [:])
            #expect(mine.adopt(key, record) == .current && mine.beside.isEmpty)
            #expect(mine.key(left.key.id) != nil && mine.key(right.key.id) != nil && record.number == 3)
        }
        _ = (one.adopt(left.key, left.record), two.adopt(right.key, right.record))
    }

    @Test func aRemovedDeviceMakesNoEpoch() throws {
        var member = try first()
        let removed = try onDevice(member)
        let (key, record) = member.next(removing: ["thief"], closed: [], heads: [:])
        #expect(member.adopt(key, record) == .current)
        // It knows the first key only.
        let forged = removed.next(removing: [], closed: [], heads: [:])
        #expect(member.adopt(forged.key, forged.record) == .refused)
        #expect(member.current.key == key && member.key(forged.key.id) == nil)
        // Who does not know of the removal yet goes over to it afterwards.
        var late = try onDevice(removed)
        _ = late.adopt(forged.key, forged.record)
        #expect(late.adopt(key, record) == .current)
    }

    @Test("A device that takes part again is removed no more, and what was made while it was stays refused")
    func aRemovedDeviceTakesPartAgain() throws {
        var member = try first()
        let origin = member.current.key.id
        let removed = try onDevice(member)
        let (second, secondRecord) = member.next(removing: ["d"], closed: [], heads: [:])
        #expect(member.adopt(second, secondRecord) == .current)
        #expect(!member.hasRemovedNobody(since: origin))
        let (third, thirdRecord) = member.next(removing: ["old"], returning: ["d"], closed: [], heads: [:])
        #expect(thirdRecord.removed == ["old"])
        #expect(member.adopt(third, thirdRecord) == .current)
        #expect(!member.hasRemovedNobody(since: origin) && !member.hasRemovedNobody(since: EpochKey().id))
        let (fourth, fourthRecord) = member.next(removing: [], closed: [], heads: [:])
        #expect(member.adopt(fourth, fourthRecord) == .current)
        #expect(member.hasRemovedNobody(since: third.id) && !member.hasRemovedNobody(since: origin))
        let forged = removed.next(removing: [], closed: [], heads: [:])
        #expect(member.adopt(forged.key, forged.record) == .refused)
        #expect(second.proof(of: "d", "k") == second.proof(of: "d", "k"))
        #expect(second.proof(of: "d", "k") != third.proof(of: "d", "k"))
        #expect(second.proof(of: "d", "k") != second.proof(of: "e", "k"))
    }

    @Test("Who has the passphrase opens both keys of two removals at one time; the next key has both removals")
    func epochsOfTwoRemovals() throws {
        let before = try first()
        let left = before.next(removing: ["c"], closed: ["aa"], heads: [:])
        let right = try onDevice(before).next(removing: ["d"], closed: ["aa"], heads: [:])
        let both = [left, right].map { KeyRing.Epoch(key: $0.key, record: $0.record) }
        var mine = before
        #expect(mine.adopt(left.key, left.record) == .current)
        #expect(mine.adopt(right.key, right.record) == .refused)
        var stranger = KeyRing(space: "s", device: try DeviceKey(), left.key, left.record)
        for opened in [both, both.reversed()] {
            mine.unlock(opened)
            stranger.unlock(opened)
            for ring in [mine, stranger] {
                #expect(ring.isForked && ring.removed == ["c", "d"])
                #expect(ring.current.key.id == max(left.key.id, right.key.id))
                #expect(ring.counts(left.key.id, hash: "new") && ring.counts(right.key.id, hash: "new"))
                #expect(ring.counts(before.current.key.id, hash: "aa") && ring.key(before.current.key.id) != nil)
            }
        }
        let (key, record) = mine.next(removing: [], closed: [], heads: [:])
        #expect(record.removed == ["c", "d"] && mine.adopt(key, record) == .current && !mine.isForked)
        // What is past does not come back.
        mine.unlock(both)
        #expect(mine.current.key.id == key.id && !mine.isForked)
    }

    @Test func aStrangersEpochIsRefused() throws {
        var ring = try first()
        let stranger = try first().next(removing: [], closed: [], heads: [:])
        #expect(ring.adopt(stranger.key, stranger.record) == .refused)
        #expect(ring.adopt(EpochKey(), EpochRecord(number: 99)) == .refused)
    }

    @Test func aDamagedFileOfKeysIsNamed() throws {
        let bytes = try first().encoded()
        #expect(encryptionError { _ = try KeyRing(reading: bytes, space: "t") }?.code == .damaged)
        #expect(encryptionError { _ = try KeyRing(reading: Array(bytes.dropLast(40)), space: "s") }?.code == .damaged)
    }
}
