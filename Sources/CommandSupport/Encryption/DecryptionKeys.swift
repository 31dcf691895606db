internal import AgeFile
package import ArgumentParser
internal import FileSystem
internal import StrictJSON
internal import Synchronization

/// The options for opening encrypted files.
///
/// The files are opened where a command reads its input; see ``InputFile``.
package struct DecryptionOptions: ParsableArguments {
    /// Files with passphrases.
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Open encrypted files with the passphrase in this file.", valueName: "file"),
        completion: .file()
    )
    package var passphraseFile: [PassphraseFileName] = []

    /// Files with identities.
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Open encrypted files with the identities in this file.", valueName: "file"),
        completion: .file()
    )
    package var identity: [IdentityFileName] = []

    /// Makes the default: a passphrase is asked for at the terminal.
    package init() {}
}

/// A file with a passphrase; naming it in an option hands it to what reads files.
package struct PassphraseFileName: ExpressibleByArgument, Sendable {
    /// Notes the file.
    package init?(argument: String) { DecryptionKeys.note(passphraseFile: argument) }
}

/// A file with identities; naming it in an option hands it to what reads files.
package struct IdentityFileName: ExpressibleByArgument, Sendable {
    /// Notes the file.
    package init?(argument: String) { DecryptionKeys.note(identityFile: argument) }
}

/// The keys that this process opens encrypted files with: those of its options, and what a person typed.
enum DecryptionKeys {
    private struct State {
        var passphraseFiles: [String] = []
        var identityFiles: [String] = []
        var passphrases: [AgePassphrase] = []
        var identities: [AgeIdentity] = []
    }

    private static let state = Mutex(State())

    static func note(passphraseFile path: String) {
        state.withLock { if !$0.passphraseFiles.contains(path) { $0.passphraseFiles.append(path) } }
    }

    static func note(identityFile path: String) {
        state.withLock { if !$0.identityFiles.contains(path) { $0.identityFiles.append(path) } }
    }

    /// Reads the files that the options name, before the command looks at anything.
    ///
    /// - Throws: 66 where one cannot be read; 77 where what it holds is no key.
    static func load() throws(CommandFailure) {
        let files = state.withLock { state in
            defer { (state.passphraseFiles, state.identityFiles) = ([], []) }
            return (passphrases: state.passphraseFiles, identities: state.identityFiles)
        }
        do throws(CommandFailure) {
            for file in files.passphrases { keep(try KeyFile.passphrase(file)) }
            for file in files.identities {
                let identities = try KeyFile.identities(file)
                state.withLock { $0.identities += identities }
            }
        } catch {
            throw error.ofKey
        }
    }

    /// Keeps a passphrase for the other files of this process.
    static func keep(_ passphrase: AgePassphrase) { state.withLock { $0.passphrases.append(passphrase) } }

    /// Opens a file and verifies all of it.
    ///
    /// - Parameters:
    ///   - name: The file as the person named it.
    ///   - limit: The most bytes of the content.
    ///   - asks: Whether a person may be asked for the passphrase.
    ///   - source: Gives the bytes of the file.
    /// - Throws: 77 where the passphrase or the identity is missing or wrong; 65 for a damaged file.
    static func content(
        of name: String,
        limit: Int,
        asks: Bool,
        _ source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws(CommandFailure) -> [UInt8] {
        do {
            let reader = try AgeReader(source: source)
            switch reader.access {
            case .passphrase: try unlockWithPassphrase(reader, name, asks)
            case .recipients: try unlockWithIdentity(reader)
            }
            return try reader.readAll(limit: limit)
        } catch let error as AgeError {
            throw CommandFailure(error, file: name)
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(library: error) ?? CommandFailure(.inputOutput, "cannot read \(name): \(error)")
        }
    }

    private static func unlockWithIdentity(_ reader: AgeReader) throws {
        try load()
        let identities = state.withLock(\.identities)
        guard !identities.isEmpty else { throw missing("for recipients: use --identity FILE") }
        try reader.unlock(with: identities)
    }

    private static func unlockWithPassphrase(_ reader: AgeReader, _ name: String, _ asks: Bool) throws {
        try load()
        var wrong: AgeError?
        for passphrase in state.withLock(\.passphrases) {
            do {
                return try reader.unlock(with: passphrase)
            } catch let error as AgeError where error.code == .wrongPassphrase {
                wrong = error
            }
        }
        guard asks, let terminal = PassphrasePrompt() else {
            throw wrong ?? missing("with a passphrase, and there is no terminal to ask at: use --passphrase-file FILE")
        }
        let passphrase = try terminal.ask("Passphrase for \(name): ")
        try reader.unlock(with: passphrase)
        keep(passphrase)
    }

    private static func missing(_ what: String) -> CommandFailure {
        let message = "the file is encrypted \(what)"
        return CommandFailure(.noKey, diagnostics: [Diagnostic(code: "age.no-key", message: message)])
    }
}

extension CommandFailure {
    /// The failure of a file with a key to open others with: 77 where it holds no key, 66 where it cannot be read.
    fileprivate var ofKey: CommandFailure {
        var failure = self
        switch status {
        case .badData: failure.status = .noKey
        case .inputOutput: failure.status = .noInput
        default: break
        }
        return failure
    }

    /// Makes the failure for an error of an encrypted file.
    init(_ error: AgeError, file: String?) {
        let status: ExitStatus =
            switch error.code {
            case .wrongPassphrase, .noMatch, .needsPassphrase, .needsIdentity: .noKey
            case .usage, .notAsWritten: .internalError
            default: .badData
            }
        let diagnostic = Diagnostic(code: error.code.description, message: error.message, file: file)
        self.init(status, diagnostics: [diagnostic])
    }
}
