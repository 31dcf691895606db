internal import CommandSupport
internal import Interchange
internal import StrictJSON
internal import XMLIO

/// What the errors of the libraries mean to the person who runs tracker-export.
func failure(_ error: any Error) -> CommandFailure? { failure(error, in: nil) }

/// What an error means that came up while a file was read.
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
