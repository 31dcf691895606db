package import StrictJSON

/// An error that stops a command: one line for people, the findings that led to it, and the exit code.
///
/// ```swift
/// throw CommandFailure(.noInput, "cannot read session.bztimer: no such file")
/// ```
package struct CommandFailure: Error, Sendable, CustomStringConvertible {
    /// The exit code.
    package var status: ExitStatus
    /// The message: what failed, where, and what to do, in one line; nil where the findings say it all.
    package var message: String?
    /// The findings, in order.
    package var diagnostics: [Diagnostic]

    /// Makes a failure with a message of its own.
    package init(_ status: ExitStatus, _ message: String, diagnostics: [Diagnostic] = []) {
        self.status = status
        self.message = message
        self.diagnostics = diagnostics
    }

    /// Makes a failure that its findings describe.
    package init(_ status: ExitStatus, diagnostics: [Diagnostic]) {
        self.status = status
        self.diagnostics = diagnostics
    }

    /// The text for people: the findings and the message.
    package var description: String {
        (DiagnosticRenderer().lines(diagnostics) + [message].compactMap { $0 }).joined(separator: "\n")
    }
}

extension CommandFailure {
    /// The failure for programs.
    package var json: JSONValue { json(or: nil) }

    /// Returns the failure for programs, with the code and message of a diagnostic where it has none of its own.
    func json(or diagnostic: JSONValue?) -> JSONValue {
        let other = diagnostics.isEmpty ? diagnostic : nil
        let fallback = status == .usage ? "command.usage" : "command.failed"
        let code = diagnostics.first?.code ?? other?["code"]?.string ?? fallback
        var messages = [other?["message"]?.string].compactMap { $0 } + diagnostics.map(\.message)
        // The report on a file that cannot be read has the same message.
        if let message, message != messages.last { messages.append(message) }
        return [
            "status": .number(Int(status.rawValue)), "code": .string(code),
            "message": .string(messages.joined(separator: "; ")),
        ]
    }
}
