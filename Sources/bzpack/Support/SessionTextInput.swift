internal import BZTimer
internal import CommandSupport
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A session's text as a person gives it.
enum SessionTextInput {
    /// Reads a text.
    ///
    /// - Parameter name: What messages call it.
    static func parse(_ text: String, name: String) throws(CommandFailure) -> SessionText {
        do throws(SessionTextError) {
            return try SessionText(parsing: text)
        } catch {
            throw CommandFailure(.badData, Messages.badText(name, error.line, error.message))
        }
    }

    /// Opens the editor with a text, and reads what the person made of it.
    ///
    /// - Throws: 64 where there is no terminal; 65 where the result is no session, which stays in a file.
    static func edit(_ text: String) throws -> SessionText {
        guard StandardInput.isTerminal, StandardOutput.shared.isTerminal else {
            throw CommandFailure(
                .usage,
                "there is no terminal for an editor: use --text or --file; nothing was changed"
            )
        }
        let path = TemporaryFolder.root + "/satchel-\(UUID().uuidString.prefix(8).lowercased()).txt"
        try OutputFile(path).write(Array(text.utf8))
        let environment = ProcessInfo.processInfo.environment
        let editor = environment["VISUAL"] ?? environment["EDITOR"] ?? "vi"
        // As git does: the editor may have arguments of its own.
        let status = try ChildProcess("/bin/sh", ["-c", "\(editor) \"$1\"", "sh", path]).wait()
        guard status == 0 else {
            throw CommandFailure(.usage, "the editor \(editor) ended with \(status); nothing was changed")
        }
        let edited = try InputFile(reading: path, limit: 1 << 22)
        // Where it cannot be read, the file stays.
        let content = try parse(String(decoding: edited.bytes, as: UTF8.self), name: path)
        try? FileManager.default.removeItem(atPath: path)
        return content
    }
}
