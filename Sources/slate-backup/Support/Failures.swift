internal import ArgumentParser
internal import CommandSupport
internal import RecordStore
internal import StrictJSON

/// Returns the failure for an error of the libraries, for the person who runs slate-backup.
func failure(_ error: any Error) -> CommandFailure? {
    var failure = CommandFailure(library: error)
    if let error = error as? StoreError { failure?.message = wayOut(of: error.code) }
    return failure
}

/// The advice for a value that Slate's format does not allow.
let wayOutOfBadValues =
    Messages.correctRow

/// Returns the advice for a database that cannot be used; nil where the error says it.
private func wayOut(of code: StoreError.Code) -> String? {
    switch code {
    case .value: wayOutOfBadValues
    case .corrupt, .notADatabase:
        Messages.restoreCorrupt
    default: nil
    }
}

extension FormatOption {
    /// Runs a command; where it fails for what it was given to work on, programs get a report of that as well.
    func reporting(on file: String, _ command: () throws -> Void) throws {
        do {
            try command()
        } catch let code as ExitCode {
            throw code
        } catch {
            guard let failure = error as? CommandFailure ?? failure(error), failure.status != .usage else {
                throw error
            }
            var findings = failure.diagnostics
            if findings.isEmpty, let message = failure.message {
                findings = [Diagnostic(code: "command.failed", message: message, file: file)]
            }
            var report = FileReport(file: file, diagnostics: findings, total: findings.count)
            report.status = failure.status
            noteFailure([report.json(version: nil)])
            throw failure
        }
    }
}
