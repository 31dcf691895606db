internal import Synchronization
package import FormatKit
package import StrictJSON

/// The findings of a command in one of the files that it was given.
package struct FileReport: Sendable {
    /// The file as the person named it.
    package let file: String
    /// The state of the file: `success`, `findings`, `badData`, or `noInput` and others where it was not read.
    package var status: ExitStatus
    /// The findings.
    package var diagnostics: [Diagnostic] = []
    /// The number of all findings, those that were not kept included.
    package var total = 0
    /// The number of records that cannot be read and are left out, and what one is called: `row`.
    package var leftOut: (count: Int, noun: String) = (0, "record")

    /// Makes the report on a file that could not be read at all.
    package init(file: String, failure: CommandFailure) {
        let file = file == "-" ? "<stdin>" : file
        self.file = file
        status = failure.status
        diagnostics = failure.diagnostics.map { finding in
            var finding = finding
            finding.file = finding.file ?? file
            return finding
        }
        if failure.message != nil || diagnostics.isEmpty {
            let message = failure.message ?? "the file cannot be read"
            diagnostics.append(Diagnostic(code: "file.unreadable", message: message, file: file))
        }
        total = diagnostics.count
    }

    /// Makes the report on a schema that cannot be used, or could not be read.
    package init(failingSchema file: String, _ failure: CommandFailure) {
        guard let finding = failure.diagnostics.first else {
            self.init(file: file, failure: failure)
            return
        }
        self.init(file: finding.file ?? file, diagnostics: failure.diagnostics, total: failure.diagnostics.count)
        status = failure.status
    }

    /// Makes the report on a file with findings.
    package init(file: String, diagnostics: [Diagnostic], total: Int) {
        self.file = file
        self.diagnostics = diagnostics
        self.total = total
        let severities = Set(diagnostics.map(\.severity))
        status = severities.contains(.error) ? .badData : severities.contains(.warning) ? .findings : .success
    }

    /// Makes the report on a file that was read.
    package init<Content>(_ result: ParseResult<Content>, file: String) {
        self.init(file: file, diagnostics: result.diagnostics, total: result.findingCount)
        if !result.isValid { status = .badData }
    }

    /// True if the file can be used.
    package var isUsable: Bool { status == .success || status == .findings }

    /// True if the file is encrypted, and the passphrase or identity is missing or wrong.
    package var isLocked: Bool { status == .noKey }

    /// True if the file is missing or cannot be read.
    package var isUnread: Bool { status == .noInput || status == .inputOutput }

    /// True if a newer version of the program wrote the file, which this one cannot read.
    package var isNewer: Bool { status == .badData && diagnostics.contains(where: \.isOfNewerVersion) }

    /// The findings as lines for the standard error stream.
    package var text: String { DiagnosticRenderer().render(diagnostics, total: total) }

    /// The members of every file's report in JSON.
    package var json: JSONObject {
        [
            "file": .string(file),
            "valid": .bool(isUsable),
            "findings": .number(total),
            "diagnostics": DiagnosticRenderer().json(diagnostics),
        ]
    }

    /// Returns the report in JSON, with the version of the file's format, or null where that cannot be told.
    package func json(version: Int?) -> JSONValue {
        var object = json
        object["version"] = version.map { .number($0) } ?? .null
        object.sort(first: ["file", "valid", "version"])
        return .object(object)
    }

    /// Returns the report in a line: whether the file is valid, its version and the number of findings.
    package func summary(version: Int?) -> String {
        let version = version.map { " (version \($0))" } ?? ""
        // Nothing is known of the content of a file that could not be read or decrypted, or is of a newer version.
        let unknown: String? =
            isUnread
            ? "not read" : isLocked ? "encrypted, not opened" : isNewer ? "of a newer version, not checked" : nil
        let findings = total == 0 || unknown != nil ? "" : ", \(Words.count(total, "finding"))"
        let fault = unknown ?? "not valid"
        let verdict = isUsable ? Painter.output.paint("valid", .done) : Painter.output.paint(fault, .error)
        return "\(TerminalText.safe(file)): \(verdict)\(version)\(findings)"
    }
}

extension Diagnostic {
    /// True if it says that a newer version of the program wrote a file.
    var isOfNewerVersion: Bool { ["version.newer", "manifest.newer", "store.newer-version"].contains(code) }
}

extension Sequence<FileReport> {
    /// The exit status of the command: the most severe of the files' states.
    package var worst: ExitStatus {
        let gravity: [ExitStatus] = [.success, .findings, .badData, .noInput, .inputOutput]
        func rank(_ status: ExitStatus) -> Int { gravity.firstIndex(of: status) ?? gravity.count }
        return map(\.status).max { rank($0) < rank($1) } ?? .success
    }
}

extension FormatOption {
    /// Keeps the reports of files of which one cannot be used.
    ///
    /// ``Program`` prints them for programs, with the failure that ends the command. People have read the findings.
    package func noteFailure(_ reports: [JSONValue]) {
        Program.failedFiles.withLock { if $0.isEmpty { $0 = reports } }
    }
}

/// Checks the paths of files to read.
package enum InputPaths {
    /// - Throws: 64 where the standard input is named more than once.
    package static func check(_ paths: [String]) throws(CommandFailure) {
        guard paths.count(where: { $0 == "-" }) > 1 else { return }
        throw CommandFailure(.usage, "- is named more than once, and the standard input can be read but once")
    }
}
