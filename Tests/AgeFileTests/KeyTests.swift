import TestSupport
import Testing

@testable import AgeFile

@Suite("age's keys") struct KeyTests {
    @Test("The specification's identity has the specification's recipient")
    func known() throws {
        let identity = try Forge.identity()
        #expect(identity.recipient.description == Forge.recipientText)
        #expect(identity.secretText() == Forge.identityText)
        #expect(try Forge.recipient() == identity.recipient)
    }

    @Test("New identities differ, and their texts come back")
    func new() throws {
        let (one, other) = (AgeIdentity(), AgeIdentity())
        #expect(one.recipient != other.recipient)
        #expect(try AgeIdentity(one.secretText()).recipient == one.recipient)
        #expect(try AgeRecipient(one.recipient.description) == one.recipient)
    }

    @Test("A recipient's text with one character changed is refused")
    func checksum() throws {
        for (text, isSecret) in [(Forge.recipientText, false), (Forge.identityText, true)] {
            for index in text.indices {
                var changed = text
                changed.replaceSubrange(index...index, with: text[index] == "q" || text[index] == "Q" ? "p" : "q")
                if isSecret { changed = changed.uppercased() }
                if changed == text { continue }
                #expect(throws: AgeError.self, "\(changed)") {
                    if isSecret { _ = try AgeIdentity(changed) } else { _ = try AgeRecipient(changed) }
                }
            }
        }
    }

    @Test(
        "What is no recipient is refused, and a secret is not repeated",
        arguments: [
            "", "age1", "age", "1", "age1q", Forge.identityText, Forge.identityText.lowercased(),
            Forge.recipientText.uppercased(), " " + Forge.recipientText, Forge.recipientText + "\n",
            "Age1" + Forge.recipientText.dropFirst(4), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA",
            Bech32.encode("age1pq", randomBytes(32)), Bech32.encode("age", randomBytes(31)),
            Bech32.encode("age", randomBytes(33)), "äge1" + Forge.recipientText.dropFirst(4),
        ]
    )
    func noRecipient(text: String) throws {
        let error = try #require(throws: AgeError.self) { try AgeRecipient(text) }
        #expect(error.code == .key)
        #expect(!error.message.contains("GFPYYSJZ") && !error.message.contains("gfpyysjz"))
    }

    @Test(
        "What is no identity is refused and not repeated",
        arguments: [
            "", Forge.recipientText, Forge.identityText.lowercased(), Forge.identityText + "Q",
            "AGE-PLUGIN-YUBIKEY-1QQQQ", Bech32.encode("age-secret-key-", randomBytes(31)).uppercased(),
        ]
    )
    func noIdentity(text: String) throws {
        let error = try #require(throws: AgeError.self) { try AgeIdentity(text) }
        #expect(error.code == .key)
        #expect(!error.message.contains("GFPYYSJZ"))
    }

    @Test("Files of keys have comments and empty lines; a fault names its line")
    func lists() throws {
        let text = "# created: now\r\n\(Forge.identityText)\r\n\n# another\n\(AgeIdentity().secretText())"
        #expect(try AgeIdentity.list(text).count == 2)
        #expect(try AgeRecipient.list("\(Forge.recipientText)\n").count == 1)
        let error = try #require(throws: AgeError.self) { try AgeIdentity.list("# a\n\nAGE-SECRET-KEY-1\n") }
        #expect(error.line == 3)
        #expect(throws: AgeError.self) { try AgeIdentity.list("# none\n") }
    }

    @Test("Neither description nor reflection shows a secret")
    func hidden() throws {
        let (identity, passphrase) = (try Forge.identity(), try AgePassphrase("open sesame"))
        var dumped = ""
        dump(identity, to: &dumped)
        dump(passphrase, to: &dumped)
        dump(AgeLock.passphrase(passphrase), to: &dumped)
        dumped += "\(identity) \(passphrase) \(String(reflecting: identity)) \(String(reflecting: passphrase))"
        #expect(!dumped.contains("sesame") && !dumped.contains("SECRET") && !dumped.contains("GFPYYSJZ"))
    }

    @Test("An empty passphrase is refused")
    func empty() {
        #expect(throws: AgeError.self) { try AgePassphrase("") }
        #expect(throws: AgeError.self) { try AgePassphrase([UInt8]()) }
    }

    @Test("Base64 comes back, and only its one form is taken")
    func base64() {
        for count in 0..<100 {
            let bytes = randomBytes(count)
            for isPadded in [false, true] {
                #expect(Base64.decode(Base64.encode(bytes, isPadded: isPadded), isPadded: isPadded) == bytes)
            }
        }
        for text in ["A", "AB", "AAB", "AA=", "A===", "AA==", "AA A", "AAAA=", "AAA\n", "AA-_"] {
            #expect(Base64.decode(Array(text.utf8)) == nil, "\(text)")
        }
        for text in ["AA", "AAA", "A===", "AB==", "AAB=", "=AAA", "AA=A", "AAAA====", "===="] {
            #expect(Base64.decode(Array(text.utf8), isPadded: true) == nil, "\(text)")
        }
    }
}
