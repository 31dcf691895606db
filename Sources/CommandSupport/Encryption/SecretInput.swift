package import AgeFile
internal import FileSystem
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Secrets that a person types or keeps in files; they are never arguments.
package enum SecretInput {
    /// True if there is a terminal to ask at.
    package static var hasTerminal: Bool { PassphrasePrompt() != nil }

    /// Reads a passphrase: the one line of a file.
    ///
    /// - Throws: 65 where the file is empty or has several lines; 66 where it cannot be read.
    package static func passphrase(file: String) throws(CommandFailure) -> AgePassphrase {
        try KeyFile.passphrase(file)
    }

    /// Reads a secret that may have several lines, such as a recovery code as a person wrote it down.
    ///
    /// - Throws: 65 where the file is empty; 66 where it cannot be read.
    package static func text(file: String) throws(CommandFailure) -> AgePassphrase { try KeyFile.text(file) }

    /// Reads a credential that systemd handed to this service; nil where there is none of that name.
    ///
    /// - Throws: 65 where it is empty or has several lines; 66 where it cannot be read.
    package static func credential(_ name: String) throws(CommandFailure) -> AgePassphrase? {
        guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/"),
            (try? Files.exists("\(folder)/\(name)")) == true
        else { return nil }
        return try KeyFile.passphrase("\(folder)/\(name)")
    }

    /// Asks for a passphrase that exists; nil where there is no terminal.
    ///
    /// - Throws: 64 where nothing is typed.
    package static func ask(_ question: String) throws(CommandFailure) -> AgePassphrase? {
        guard let terminal = PassphrasePrompt() else { return nil }
        return try terminal.ask(question)
    }

    /// Asks for a new passphrase twice, and tells how strong it is; nil where there is no terminal.
    ///
    /// - Throws: 64 where nothing is typed, or the two differ.
    package static func askNew() throws(CommandFailure) -> AgePassphrase? {
        guard let terminal = PassphrasePrompt() else { return nil }
        let passphrase = try terminal.ask("New passphrase: ")
        terminal.tell(passphrase.withUnsafeBytes { PassphraseStrength(String(decoding: $0, as: UTF8.self)).text })
        let again = try terminal.ask("The same once more: ")
        guard passphrase.withUnsafeBytes({ bytes in again.withUnsafeBytes { bytes.elementsEqual($0) } }) else {
            throw CommandFailure(.usage, "the two passphrases differ; nothing was changed")
        }
        return passphrase
    }

    /// Writes a line at the terminal.
    package static func tell(_ text: String) { PassphrasePrompt()?.tell(text) }

    /// Asks for a line at the terminal, which is not shown; an empty one is none.
    package static func line(_ question: String) -> String {
        guard let answer = try? PassphrasePrompt()?.ask(question) else { return "" }
        return answer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private static func isThere(_ path: String) -> String {
        "cannot create \(path): it is there already, and is not replaced; where an earlier run of the command was ended, name"
            + " another file, and keep this one until that run succeeds"
    }

    /// Writes a secret to a new file that only its user can read.
    ///
    /// - Throws: 73 where there is a file already, or none can be made.
    package static func write(_ text: String, toNew path: String) throws(CommandFailure) {
        do throws(FileError) {
            let file = try OpenFile(creating: path, mode: 0o600)
            try file.write(Array("\(text)\n".utf8))
            try file.force()
            try file.close()
            try Files.force(folderOf: path)
        } catch {
            guard error.errno == .fileExists else { throw CommandFailure(error) }
            throw CommandFailure(.cannotCreate, Self.isThere(path))
        }
    }
}
