import AppList
@testable import DirectorySync
import FolderEncryption
import Foundation
import RecordStore
import StrictJSON
import Subprocess
import Synchronization
import TestSupport
import Testing

@Suite("Keys that are sealed with a secret of the system's keyring")
struct KeyVaultTests {
    /// A keyring in memory.
    private final class Vault: KeyVault {
        let title = "the keyring"
        let secrets = Mutex<[String: [UInt8]]>([:])
        let fault = Mutex<String?>(nil)

        var count: Int { secrets.withLock { $0.count } }

        private func check() throws(KeyVaultError) {
            if let fault = fault.withLock({ $0 }) { throw KeyVaultError(fault) }
        }

        func secret(_ name: String) throws(KeyVaultError) -> [UInt8]? {
            try check()
            return secrets.withLock { $0[name] }
        }

        func keep(_ secret: [UInt8], as name: String) throws(KeyVaultError) {
            try check()
            secrets.withLock { $0[name] = secret }
        }
    }

    private let sandbox: Sandbox
    private let vault = Vault()
    private let store: KeyStore
    private let rings: [KeyRing]

    init() throws {
        sandbox = try Sandbox()
        store = KeyStore(folder: sandbox.path("keys"), vault: vault)
        rings = try ["one", "two"].map { try KeyRing(space: $0, device: DeviceKey(), EpochKey(), EpochRecord()) }
        for ring in rings { try store.save(ring) }
    }

    private func bytes(_ space: String) throws -> [UInt8] { try sandbox.bytes("keys/\(space).keys") }

    private func isPlain(_ space: String) throws -> Bool {
        String(decoding: try bytes(space), as: UTF8.self).contains("satchel-keys")
    }

    private func expectRead() throws {
        for ring in rings { #expect(try store.ring(of: ring.space)?.encoded() == ring.encoded()) }
    }

    @Test("All files are sealed, new ones as well, and are plain again afterwards")
    func move() throws {
        try store.setPendingKey(DeviceKey(), of: "three")
        let pending = try store.pendingKey(of: "three")?.secretText()
        try store.move(to: .keyring)
        #expect(try store.place() == .keyring)
        for ring in rings { #expect(try !isPlain(ring.space)) }
        try expectRead()
        #expect(try store.pendingKey(of: "three")?.secretText() == pending)
        try store.save(rings[0])
        #expect(try !isPlain("one"))
        #expect(vault.count == 1)
        try store.move(to: .keyring)
        #expect(vault.count == 1)
        try store.move(to: .file)
        #expect(try store.place() == .file && isPlain("one") && isPlain("two"))
        try expectRead()
        #expect(try store.pendingKey(of: "three")?.secretText() == pending)
        let modes = try ["one", "two"].map {
            try FileManager.default.attributesOfItem(atPath: sandbox.path("keys/\($0).keys"))[.posixPermissions] as? Int
        }
        #expect(modes == [0o600, 0o600])
    }

    @Test("A file that was sealed before its move ended is read, and the move goes on", arguments: KeyPlace.allCases)
    func interrupted(to place: KeyPlace) throws {
        let plain = try bytes("one")
        try store.move(to: .keyring)
        let sealed = try bytes("one")
        if place == .file { try store.move(to: .keyring) }
        // One file is as it was before, as if the move had been ended in between.
        if place == .keyring {
            try Data(plain).write(to: URL(filePath: sandbox.path("keys/one.keys")))
        } else {
            try store.move(to: .file)
            try Data(sealed).write(to: URL(filePath: sandbox.path("keys/one.keys")))
        }
        try expectRead()
        try store.move(to: place)
        #expect(try isPlain("one") == (place == .file))
        try expectRead()
    }

    @Test("Without the keyring, or its secret, nothing is written, and the error says what to do")
    func unavailable() throws {
        try store.move(to: .keyring)
        let before = try bytes("one")
        vault.fault.withLock { $0 = "it is locked" }
        let locked = try directoryError { _ = try store.ring(of: "one") }
        #expect(locked?.code == .noKey && locked?.message.contains("it is locked") == true)
        #expect(locked?.message.contains("foldersync key keep file") == true)
        #expect(try directoryError { try store.save(rings[0]) }?.code == .noKey)
        #expect(try bytes("one") == before)
        vault.fault.withLock { $0 = nil }
        vault.secrets.withLock { $0 = [:] }
        #expect(try directoryError { _ = try store.ring(of: "one") }?.message.contains("no longer has") == true)
        for place in KeyPlace.allCases { #expect(try directoryError { try store.move(to: place) }?.code == .noKey) }
        #expect(try bytes("one") == before && store.place() == .keyring)
        // The files stay, in case that the keyring comes back; new keys lie in files.
        #expect(try store.move(to: .file, isLost: true) == ["one", "two"])
        #expect(try bytes("one") == before && store.place() == .file)
        try store.save(rings[0])
        #expect(try isPlain("one"))
        let none = KeyStore(folder: sandbox.path("other"))
        #expect(try directoryError { try none.move(to: .keyring) }?.message.contains("nothing was changed") == true)
        #expect(try directoryError { _ = try KeyStore(folder: store.folder).ring(of: "two") }?.code == .noKey)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sandbox.path("keys")).sorted()
    }

    @Test("What a write left that was ended is removed, as it can hold keys")
    func unfinished() throws {
        try sandbox.write("keys/one.keys.1844", bytes("one"))
        try sandbox.write("keys/two.request.7", [1])
        try store.move(to: .keyring)
        #expect(try names() == ["keyring", "lock", "one.keys", "two.keys"])
        try sandbox.write("keys/one.keys.1844", bytes("one"))
        try sandbox.write("keys/two.keys.1844", bytes("two"))
        try store.remove("one")
        #expect(try names() == ["keyring", "lock", "two.keys", "two.keys.1844"])
    }

    @Test("Where a file of keys is damaged, all stay sealed, and the secret stays for a copy that comes back")
    func damaged() throws {
        try store.move(to: .keyring)
        let whole = try bytes("one")
        try sandbox.write("keys/one.keys", [])
        #expect(try directoryError { try store.move(to: .file) }?.message.contains("nothing was changed") == true)
        #expect(try store.place() == .keyring && !isPlain("two"))
        #expect(try store.move(to: .file, isLost: true) == ["one"])
        try sandbox.write("keys/one.keys", whole)
        try expectRead()
    }

    @Test("A sealed file that was changed, or put in the place of another, opens nothing")
    func forged() throws {
        try store.move(to: .keyring)
        let (one, two) = (try bytes("one"), try bytes("two"))
        try Data(two).write(to: URL(filePath: sandbox.path("keys/one.keys")))
        #expect(try directoryError { _ = try store.ring(of: "one") }?.code == .noKey)
        for index in one.indices.dropFirst("satchel-keyring-1 ".utf8.count) {
            var changed = one
            changed[index] ^= 1
            try Data(changed).write(to: URL(filePath: sandbox.path("keys/one.keys")))
            #expect(try directoryError { _ = try store.ring(of: "one") }?.code == .noKey, "byte \(index)")
        }
    }

    /// `secret-tool` of libsecret, as far as the program uses it: a file for each secret.
    private static let tool = """
        #!/bin/sh
        folder=$(dirname "$0")/secrets
        mkdir -p "$folder"
        for name; do :; done
        case $1 in
        store) cat > "$folder/$name" ;;
        lookup) [ -e "$folder/$name" ] || exit 1; cat "$folder/$name" ;;
        search) ;;
        esac
        """

    @Test("key keep seals the keys with a secret that goes through a pipe, and key status says so")
    func program() async throws {
        try FileManager.default.createDirectory(atPath: sandbox.path("bin"), withIntermediateDirectories: true)
        let path = try sandbox.write("bin/secret-tool", Self.tool + "\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let pass = try sandbox.write("pass", "correct horse\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pass)
        try AppStores.all.make(.slate, at: sandbox.path("s.db"))
        func run(_ arguments: String...) async throws -> Outcome {
            let search = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            return try await sandbox.run(
                Built.path("foldersync"),
                arguments,
                environment: [
                    "SATCHEL_FOLDERSYNC": sandbox.path("c.json"), "PATH": "\(sandbox.path("bin")):\(search)",
                ]
            )
        }
        let locks = ["--encrypt", "--passphrase-file", "pass", "--recovery-file", "recovery"]
        let made = try await sandbox.run(
            Built.path("foldersync"),
            ["init", "share", "--store", "s.db", "--name", "Laptop"] + locks,
            environment: ["SATCHEL_FOLDERSYNC": sandbox.path("c.json")]
        )
        #expect(made.status == 0, "\(made.errors)")
        let kept = try await run("key", "keep", "keyring")
        #expect(kept.status == 0, "\(kept.errors)")
        let status = try await run("key", "--format", "json").json
        #expect(status["place"]?.string == "keyring")
        #expect(try await run("sync").status == 0)
        try FileManager.default.moveItem(atPath: sandbox.path("bin/secrets"), toPath: sandbox.path("away"))
        let lost = try await run("sync")
        #expect(lost.status == 77, "\(lost.errors)")
        #expect(lost.errors.contains("no longer has"))
        #expect(try await run("key", "keep", "file").status == 77)
        #expect(try await run("key", "--format", "json").status == 77)
        // A folder is not encrypted with keys that could not be kept.
        try AppStores.all.make(.tracker, at: sandbox.path("t.db"))
        #expect(try await run("init", "plain", "--store", "t.db", "--no-encrypt").status == 0)
        let begun = try await run("encrypt", "plain", "--passphrase-file", "pass", "--recovery-file", "other")
        #expect(begun.status == 77, "\(begun.errors)")
        #expect(!sandbox.has("plain/keys"))
        #expect(try await run("sync", "plain").status == 0)
        #expect(try await run("key", "keep", "file", "--lost").status == 3)
        #expect(try await run("key", "unlock", "share", "--passphrase-file", "pass").status == 0)
        #expect(try await run("sync").status == 0)
        #expect(try await run("key", "status", "share", "--format", "json").json["place"]?.string == "file")
    }
}
