internal import CommandSupport
internal import Interchange
internal import StrictJSON
internal import XMLIO

/// Returns the failure for an error of the libraries, for the person who runs tracker-export.
func failure(_ error: any Error) -> CommandFailure? { failure(error, in: nil) }

/// Returns the failure for an error that came up while a file was read.
func failure(_ error: any Error, in file: String?) -> CommandFailure? {
    switch error {
    case let error as CommandFailure: return error
    case let error as InterchangeError: return CommandFailure(.badData, diagnostics: [error.diagnostic(file: file)])
    case let error as XMLError: return CommandFailure(.badData, diagnostics: [error.diagnostic(file: file)])
    default:
        guard var failure = CommandFailure(library: error) else { return nil }
        failure.diagnostics = failure.diagnostics.map { finding in
            var finding = finding
            finding.file = finding.file ?? file
            return finding
        }
        return failure
    }
}

extension FileReport {
    /// Makes the report on a file that an error kept from being read; nil for errors that are not the file's.
    init?(_ error: any Error, in path: String) {
        let name = path == "-" ? "<stdin>" : path
        guard let failure = failure(error, in: name), failure.status != .usage else { return nil }
        guard failure.message == nil else {
            self.init(file: name, failure: failure)
            return
        }
        self.init(file: name, diagnostics: failure.diagnostics, total: failure.diagnostics.count)
        status = failure.status
    }
}
