internal import AgeFile
package import ArgumentParser
package import FileSystem
internal import StrictJSON

/// The options for encrypting what a command writes.
package struct EncryptionOptions: ParsableArguments {
    /// True to encrypt; each of the other options asks for it as well.
    @Flag(help: "Encrypt it with age; ask for a passphrase unless told whom for.")
    package var encrypt = false

    /// A file with the passphrase.
    @Option(
        help: ArgumentHelp("Encrypt with the passphrase in this file.", valueName: "file"),
        completion: .file()
    )
    package var passphraseFile: String?

    /// Those who can open it.
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Encrypt for this recipient; may be repeated.", valueName: "age1…")
    )
    package var recipient: [String] = []

    /// Files with those who can open it.
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Encrypt for the recipients in this file; may be repeated.", valueName: "file"),
        completion: .file()
    )
    package var recipientsFile: [String] = []

    /// Makes the default: nothing is encrypted.
    package init() {}

    /// True if the output is encrypted.
    package var isWanted: Bool { encrypt || passphraseFile != nil || !recipient.isEmpty || !recipientsFile.isEmpty }

    /// Finds out how to encrypt, nil where that is not wanted; asks for a passphrase where it has to.
    ///
    /// - Throws: 64 for options that exclude each other, a recipient that is none, or without a terminal to ask at; 65
    ///   and 66 where a file with keys cannot be used.
    package func encryption() throws(CommandFailure) -> Encryption? {
        guard isWanted else { return nil }
        var recipients: [AgeRecipient] = []
        for text in recipient {
            do throws(AgeError) {
                recipients.append(try AgeRecipient(text))
            } catch {
                throw CommandFailure(.usage, "--recipient: \(error.message)")
            }
        }
        for file in recipientsFile { recipients += try KeyFile.recipients(file) }
        guard recipients.isEmpty || passphraseFile == nil else {
            throw CommandFailure(.usage, "a file is encrypted for recipients or with a passphrase, not both")
        }
        guard recipients.isEmpty else { return Encryption(lock: .recipients(recipients)) }
        let passphrase =
            if let passphraseFile { try KeyFile.passphrase(passphraseFile) } else { try Self.ask() }
        // Earlier backups, which the new one is compared with, most likely have the same.
        DecryptionKeys.keep(passphrase)
        return Encryption(lock: .passphrase(passphrase))
    }

    /// Finds out how to encrypt a file; see ``encryption()``.
    ///
    /// - Throws: The errors of ``encryption()``; 64 where it is written to a terminal, and where a file that is named like
    ///   an encrypted one would not be encrypted.
    package func encryption(for output: OutputFile) throws(CommandFailure) -> Encryption? {
        guard isWanted || !output.isNamedEncrypted else {
            throw CommandFailure(.usage, "\(output.path) is named like an encrypted file: add --encrypt")
        }
        guard !isWanted || !output.isStandardOutput || !StandardOutput.shared.isTerminal else {
            throw CommandFailure(.usage, "an encrypted file is not for a terminal: name a file")
        }
        return try encryption()
    }

    private static func ask() throws(CommandFailure) -> AgePassphrase {
        guard let terminal = PassphrasePrompt() else {
            let message = "there is no terminal to ask for a passphrase at: use --passphrase-file or --recipient"
            throw CommandFailure(.usage, "\(message); nothing was written")
        }
        let passphrase = try terminal.ask("New passphrase: ")
        terminal.tell(passphrase.strength.text)
        guard try terminal.ask("The same once more: ").isSame(as: passphrase) else {
            throw CommandFailure(.usage, "the two passphrases differ; nothing was written")
        }
        return passphrase
    }
}

extension AgePassphrase {
    fileprivate var strength: PassphraseStrength {
        withUnsafeBytes { PassphraseStrength(String(decoding: $0, as: UTF8.self)) }
    }

    fileprivate func isSame(as other: AgePassphrase) -> Bool {
        withUnsafeBytes { bytes in other.withUnsafeBytes { bytes.elementsEqual($0) } }
    }
}

/// The options for encrypting the output of a command.
package struct Encryption: Sendable {
    let lock: AgeLock

    /// The ending of an encrypted file's name.
    package static let ending = ".age"

    /// Encrypts bytes, and reads them back.
    ///
    /// - Throws: 70 where they do not come back.
    package func encrypt(_ bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
        do {
            return try AgeWriter.encrypt(bytes, lock)
        } catch {
            throw CommandFailure(library: error) ?? CommandFailure(.internalError, "cannot encrypt: \(error)")
        }
    }

    /// Encrypts a file that is not named yet, and reads it back.
    ///
    /// - Parameters:
    ///   - file: The file, complete.
    ///   - folder: The folder of the encrypted one.
    ///   - name: What messages call it.
    /// - Throws: An `AgeError` where it does not come back; a `FileError` where it cannot be written.
    package func encrypt(_ file: PendingFile, in folder: String, for name: String) throws -> PendingFile {
        let encrypted = try PendingFile(in: folder, for: name)
        let writer = try AgeWriter(lock) { try encrypted.write($0) }
        try file.forEachPiece { try writer.write($0) }
        try writer.finish()
        let source = encrypted.source()
        try writer.verify { try source.read($0) }
        return encrypted
    }
}

extension InputFile {
    /// Returns whether a file that begins with these bytes is encrypted.
    package static func isEncrypted(_ head: [UInt8]) -> Bool { AgeReader.isAge(head) }
}
