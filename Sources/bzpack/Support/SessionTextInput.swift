internal import BZTimer
internal import CommandSupport
internal import FileSystem
internal import Interchange
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A session's text as a person gives it.
struct SessionTextInput {
    /// The session.
    let text: SessionText
    /// True if the encoding of the file had to be guessed, of which there was a warning.
    var hasWarnings = false

    /// The most bytes of a text.
    private static let limit = 1 << 22

    /// Reads a text.
    ///
    /// - Parameter name: What messages call it.
    static func parse(_ text: String, name: String) throws(CommandFailure) -> SessionTextInput {
        do throws(SessionTextError) {
            return SessionTextInput(text: try SessionText(parsing: text))
        } catch {
            throw CommandFailure(.badData, Messages.badText(name, error.line, error.message))
        }
    }

    /// Reads a file, or the standard input for `-`: UTF-8 with or without a byte order mark, else Windows-1252 with a
    /// warning.
    ///
    /// - Throws: 65 where it is no text or no session, 66 where it cannot be read.
    static func read(_ path: String) throws(CommandFailure) -> SessionTextInput {
        let file = try InputFile(reading: path, limit: limit)
        if let text = String(validating: file.bytes, as: UTF8.self) {
            let mark: Character = "\u{FEFF}"
            return try parse(String(text.drop { $0 == mark }), name: file.name)
        }
        guard let (bytes, found) = Windows1252.decoded(file.bytes) else {
            throw CommandFailure(.badData, Messages.notUTF8(file.name))
        }
        let warning = Diagnostic(
            .warning,
            code: "text.windows-1252",
            message: found.message,
            file: file.name,
            position: found.position
        )
        StandardError.write(DiagnosticRenderer().render([warning]))
        var input = try parse(String(decoding: bytes, as: UTF8.self), name: file.name)
        input.hasWarnings = true
        return input
    }

    /// Opens the editor with a text, and does something with what the person made of it.
    ///
    /// A text that is not taken stays in a file, which the message names.
    ///
    /// - Parameters:
    ///   - text: The text to begin with.
    ///   - isExample: Whether it stands for nothing yet: left as it is, it is not taken.
    ///   - take: Takes the session.
    /// - Throws: 64 where there is no terminal or the editor fails, and for an example that is left as it is; 65 where
    ///   the result is no session; the errors of `take`.
    static func edit<Result>(
        _ text: String,
        isExample: Bool = false,
        _ take: (SessionTextInput) throws -> Result
    ) throws -> Result {
        guard StandardInput.isTerminal, StandardOutput.shared.isTerminal else {
            throw CommandFailure(
                .usage,
                "there is no terminal for an editor: use --text or --file; nothing was changed"
            )
        }
        let path = TemporaryFolder.root + "/satchel-\(UUID().uuidString.prefix(8).lowercased()).txt"
        try write(text, toNew: path)
        let environment = ProcessInfo.processInfo.environment
        let named = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }
        let editor = named.first { !Words.isBlank($0) } ?? "vi"
        // As git does: the editor may have arguments of its own.
        let status = try ChildProcess("/bin/sh", ["-c", "\(editor) \"$1\"", "sh", path]).wait()
        guard status == 0 else {
            let isTyped = (try? InputFile(reading: path, limit: limit).bytes) != Array(text.utf8)
            if !isTyped { _ = try? Files.remove(path) }
            throw CommandFailure(.usage, Messages.editorFails(editor, Int(status), isTyped ? path : nil))
        }
        if isExample, (try? InputFile(reading: path, limit: limit).bytes) == Array(text.utf8) {
            _ = try? Files.remove(path)
            throw CommandFailure(.usage, Messages.unchangedExample)
        }
        // Where it cannot be read, the message has the name of the file, which stays.
        let edited = try read(path)
        let result: Result
        do {
            result = try take(edited)
        } catch {
            StandardError.write(TerminalText.safe(Messages.textKept(path)) + "\n")
            throw error
        }
        _ = try? Files.remove(path)
        return result
    }

    /// Writes a text to a new file that only its owner can read.
    private static func write(_ text: String, toNew path: String) throws(CommandFailure) {
        do throws(FileError) {
            let file = try OpenFile(creating: path, mode: 0o600)
            try file.write(Array(text.utf8))
            try file.close()
        } catch {
            throw CommandFailure(error)
        }
    }
}
