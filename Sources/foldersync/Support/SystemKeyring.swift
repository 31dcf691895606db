internal import AgeFile
internal import CommandSupport
internal import DirectorySync

#if canImport(Security)
    internal import Foundation
    internal import Security

    /// The Keychain of macOS.
    struct SystemKeyring: KeyVault {
        let title = "the Keychain"

        private func query(_ name: String) -> [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: "satchel folder keys", kSecAttrAccount: name]
        }

        func secret(_ name: String) throws(KeyVaultError) -> [UInt8]? {
            var found: CFTypeRef?
            let query = query(name).merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 }
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            try check(status)
            return (found as? Data).map { Array($0) }
        }

        func keep(_ secret: [UInt8], as name: String) throws(KeyVaultError) {
            let values: [CFString: Any] = [
                kSecValueData: Data(secret), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            try check(SecItemAdd(query(name).merging(values) { $1 } as CFDictionary, nil))
        }

        private func check(_ status: OSStatus) throws(KeyVaultError) {
            guard status != errSecSuccess else { return }
            let message = SecCopyErrorMessageString(status, nil).map { "\($0)" } ?? "error \(status)"
            throw KeyVaultError(message)
        }
    }
#else
    /// The Secret Service of the desktop, as `secret-tool` of libsecret reaches it.
    ///
    /// The secret goes through pipes: it is in no argument and in no text.
    struct SystemKeyring: KeyVault {
        let title = "the Secret Service"

        private static let tool = "secret-tool"

        func secret(_ name: String) throws(KeyVaultError) -> [UInt8]? {
            var (status, output, errors) = run(["lookup"], name)
            defer { wipe(&output) }
            if status == 1, errors.isEmpty {
                // It says as much of a secret that is locked as of none.
                var (_, found, _) = run(["search", "--all"], name)
                defer { wipe(&found) }
                if found.isEmpty { return nil }
                throw KeyVaultError("it is locked")
            }
            try check(status, errors)
            guard let secret = Base64.decode(output) else {
                throw KeyVaultError("\(Self.tool) found what is no key")
            }
            return secret
        }

        func keep(_ secret: [UInt8], as name: String) throws(KeyVaultError) {
            var text = Base64.encode(secret)
            defer { wipe(&text) }
            let (status, _, errors) = run(["store", "--label=Satchel: keys of shared folders"], name, text)
            try check(status, errors)
        }

        private func run(
            _ words: [String],
            _ name: String,
            _ input: [UInt8] = []
        ) -> (status: Int32, output: [UInt8], errors: String) {
            let attributes = ["application", "satchel", "purpose", "folder-keys", "name", name]
            return OtherProgram.run([Self.tool] + words + attributes, bytes: input)
        }

        private func check(_ status: Int32, _ errors: String) throws(KeyVaultError) {
            if status == 0 { return }
            let lines = errors.split(separator: "\n").joined(separator: "; ")
            let text = status == 127 ? "\(Self.tool) is not installed: Debian has it in libsecret-tools" : lines
            throw KeyVaultError(text.isEmpty ? "\(Self.tool) ended with \(status)" : text)
        }
    }
#endif
