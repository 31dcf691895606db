internal import AgeFile
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import FolderEncryption

/// The options for the passphrase and the recovery code of a folder that is about to get a new key.
struct LockOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Take the folder's passphrase from this file.", valueName: "file"),
        completion: .file()
    )
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp("Write the recovery code to this new file.", valueName: "file"),
        completion: .file()
    )
    var recoveryFile: String?

    /// True if any of them is given.
    var isGiven: Bool { passphraseFile != nil || recoveryFile != nil }

    /// Finds a new passphrase, and makes a recovery code that a person has shown to have kept.
    ///
    /// - Parameter folder: The folder that is encrypted.
    /// - Throws: 64 without a terminal and without files, where a file lies in the folder, or where the code is not typed
    ///   right; 65, 66 and 73 for files that cannot be used.
    func newLocks(of folder: String) throws(CommandFailure) -> NewFolderLocks {
        try checkOutside(folder)
        return NewFolderLocks(try newPassphrase(), try newRecoveryCode(of: folder))
    }

    /// Refuses files in the folder that they open: whoever carries it would have them.
    private func checkOutside(_ folder: String) throws(CommandFailure) {
        for (option, file) in [("passphrase", passphraseFile), ("recovery", recoveryFile)] {
            guard let file, ResolvedPath(file).isWithin(ResolvedPath(folder)) else { continue }
            throw CommandFailure(
                .usage,
                "--\(option)-file: \(file) lies in the shared folder, whose carrier could open it; \(Self.nothing)"
            )
        }
    }

    /// Finds a new passphrase.
    ///
    /// - Throws: As ``newLocks(of:)``.
    func newPassphrase() throws(CommandFailure) -> AgePassphrase {
        if let passphraseFile { return try SecretInput.passphrase(file: passphraseFile) }
        if let passphrase = try SecretInput.askNew() { return passphrase }
        throw CommandFailure(
            .usage,
            "there is no terminal to ask for a passphrase at: use --passphrase-file; \(Self.nothing)"
        )
    }

    static let nothing = "nothing was changed"

    /// Makes a recovery code, shows it once and asks for a part of it; or writes it to a file.
    ///
    /// - Throws: As ``newLocks(of:)``.
    func newRecoveryCode(of folder: String) throws(CommandFailure) -> RecoveryCode {
        try checkOutside(folder)
        let code = RecoveryCode()
        if let recoveryFile {
            try SecretInput.write(code.text(), toNew: recoveryFile)
            return code
        }
        guard SecretInput.hasTerminal else {
            throw CommandFailure(
                .usage,
                "there is no terminal to show the recovery code at: name a new file with --recovery-file; \(Self.nothing)"
            )
        }
        let groups = code.text().split(separator: "-").map(String.init)
        SecretInput.tell(
            """
            The recovery code opens the folder where the passphrase is lost. It is shown this once: write it down.

                \(groups.joined(separator: "-"))

            """
        )
        let place = Int.random(in: 1..<groups.count)
        for _ in 0..<3 {
            let typed = SecretInput.line("Group \(place + 1) of the \(groups.count), to show that you have it: ")
            if typed.trimmed.uppercased() == groups[place] { return code }
            SecretInput.tell("That is not group \(place + 1).")
        }
        throw CommandFailure(.usage, "the recovery code was not typed back; \(Self.nothing)")
    }

    /// Removes the file with the recovery code, where what it was for failed.
    func takeBack() { if let recoveryFile { _ = try? Files.remove(recoveryFile) } }

    /// Finds the passphrase that opens the folder today.
    ///
    /// - Throws: 64 without a terminal and without a file; 77 where it does not open the folder.
    func presentPassphrase(_ keys: FolderKeys) throws -> AgePassphrase {
        let passphrase = try givenPassphrase(keys.folder)
        _ = try keys.unlock(passphrase)
        return passphrase
    }

    /// Finds the passphrase that a person, or a file, gives for a folder.
    ///
    /// - Throws: 64 without a terminal and without a file.
    func givenPassphrase(_ folder: String) throws -> AgePassphrase {
        var passphrase = try passphraseFile.map { file throws(CommandFailure) in try SecretInput.passphrase(file: file)
        }
        if passphrase == nil { passphrase = try SecretInput.credential(JoinKeyOptions.credential) }
        if passphrase == nil { passphrase = try SecretInput.ask("Passphrase of \(folder): ") }
        guard let passphrase else {
            throw CommandFailure(
                .usage,
                "there is no terminal to ask for the passphrase at: use --passphrase-file; \(Self.nothing)"
            )
        }
        return passphrase
    }
}

/// The options of `join` for an encrypted folder.
struct JoinKeyOptions: ParsableArguments {
    /// The name of systemd's credential with the passphrase.
    static let credential = "foldersync.passphrase"

    @Option(
        help: ArgumentHelp("Open an encrypted folder with the passphrase in this file.", valueName: "file"),
        completion: .file()
    )
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp("Open an encrypted folder with the recovery code in this file.", valueName: "file"),
        completion: .file()
    )
    var recoveryFile: String?

    @Flag(help: "Ask a device that takes part for the key, and show six words.")
    var request = false

    @Option(help: ArgumentHelp("The words that the other device shows after devices admit.", valueName: "words"))
    var words: String?

    /// True if any of them is given.
    var isGiven: Bool { passphraseFile != nil || recoveryFile != nil || request || words != nil }

    /// Opens the folder, so that this device has its keys.
    ///
    /// - Throws: 64 where nothing opens it and nobody can be asked; 65 and 66 for files that cannot be used; 75 for a
    ///   request that nobody has answered; 77 for a wrong passphrase, code or word.
    func unlock(_ keys: FolderKeys) throws {
        if let passphraseFile {
            return Self.tell(try keys.unlock(SecretInput.passphrase(file: passphraseFile)))
        }
        if let recoveryFile {
            let text = try SecretInput.text(file: recoveryFile)
            let code = try text.withUnsafeBytes { bytes in
                Result { try RecoveryCode(reading: String(decoding: bytes, as: UTF8.self)) }
            }
            .get()
            return Self.tell(try keys.unlock(code))
        }
        if request || words != nil { return try useRequest(keys) }
        if let passphrase = try SecretInput.credential(Self.credential) {
            return Self.tell(try keys.unlock(passphrase))
        }
        guard let passphrase = try SecretInput.ask("Passphrase of \(keys.folder): ") else {
            throw CommandFailure(
                .noKey,
                "\(keys.folder) is encrypted, and there is no terminal to ask for the passphrase at: use --passphrase-file,"
                    + " --recovery-file or --request; nothing was changed"
            )
        }
        Self.tell(try keys.unlock(passphrase))
    }

    /// Says what is wrong with slots that were not needed.
    private static func tell(_ faults: [String]) {
        StandardError.note(faults.map { TerminalText.safe("ignored: \($0)") + "\n" }.joined())
    }

    private func useRequest(_ keys: FolderKeys) throws {
        let isNew = !keys.hasRequest
        let mine = try keys.request()
        let answers = try keys.answers()
        guard !answers.isEmpty else {
            let begin = isNew ? "The request is in the folder" : "Nobody has answered the request yet"
            throw CommandFailure(
                .notNow,
                """
                \(begin). On a device that takes part, run foldersync devices admit once the folder has arrived there, and see \
                that it shows these words: \(mine). Then run this command again here.
                """
            )
        }
        var typed = words
        if typed == nil, SecretInput.hasTerminal {
            SecretInput.tell("This device's words are: \(mine)")
            typed = SecretInput.line("The words that devices admit printed: ")
        }
        guard let typed else {
            throw CommandFailure(.usage, "give the words that devices admit printed with --words; nothing was changed")
        }
        guard let answer = answers.first(where: { PairingWords.areSame($0.words, typed) }) else {
            throw CommandFailure(
                .noKey,
                "these are not the words of the answer in the folder: type those that devices admit printed; if they are right,"
                    + " somebody else answered, and the folder cannot be trusted; nothing was changed"
            )
        }
        try keys.accept(answer)
    }
}
