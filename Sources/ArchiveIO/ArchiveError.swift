public import StrictJSON

/// An error for an archive that was not read or written, with its place.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
    /// A stable error code; new codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// The error code.
    public let code: Code
    /// The message: what failed and what to do, in one sentence without a final full stop.
    public let message: String
    /// The archive as the caller named it.
    public internal(set) var file: String?
    /// The name of the entry that was being read or written.
    public internal(set) var entry: String?
    /// The further faults of the same archive, each of its own; none where the first ended the reading.
    package internal(set) var others: [ArchiveError] = []
    /// The error beneath, such as a `JSONError` of the manifest.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, entry: String? = nil, file: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.entry = entry
        self.file = file
        self.cause = cause
    }

    /// Returns the error as the diagnostic that programs print.
    ///
    /// - Parameter file: The name to print where the archive had none.
    public func diagnostic(file: String? = nil) -> Diagnostic {
        let place = entry.map { $0.isEmpty ? "" : " (in entry \(quoted($0)))" } ?? ""
        return Diagnostic(code: code.description, message: message + place, file: self.file ?? file)
    }

    /// Returns the error and the further faults of the archive as diagnostics.
    ///
    /// - Parameter file: The name to print where the archive had none.
    package func diagnostics(file: String? = nil) -> [Diagnostic] {
        [diagnostic(file: file)] + others.map { $0.diagnostic(file: self.file ?? file) }
    }

    /// The error as one line.
    public var description: String { diagnostic().description }

    /// Returns the same error with what to do about it.
    package func advising(_ advice: String) -> ArchiveError {
        ArchiveError(code, "\(message); \(advice)", entry: entry, file: file, cause: cause)
    }

    /// Returns the same error with the file and the entry filled in where they were not known.
    func located(file: String?, entry: String? = nil) -> ArchiveError {
        var error = self
        error.file = error.file ?? file
        error.entry = error.entry ?? entry
        return error
    }
}

/// Returns a name between quotes, with whatever could confuse a terminal escaped, and cut where it is very long.
func quoted(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars.prefix(200) {
        switch scalar {
        case "\"", "\\": text += "\\\(scalar)"
        case _ where EntryName.isControl(scalar): text += "\\u{\(String(scalar.value, radix: 16))}"
        default: text.unicodeScalars.append(scalar)
        }
    }
    return text + (name.unicodeScalars.count > 200 ? "…\"" : "\"")
}

/// Returns a number of bytes in words.
func byteCount(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

/// Names of several entries for a message: the first ten and how many more there are.
func listed(_ names: [String]) -> String {
    let shown = names.prefix(10).map(quoted).joined(separator: ", ")
    return names.count > 10 ? "\(shown) and \(names.count - 10) more" : shown
}
