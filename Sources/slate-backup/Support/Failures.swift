internal import ArchiveIO
internal import CommandSupport

/// What the errors of the libraries mean to the person who runs slate-backup.
func failure(_ error: any Error) -> CommandFailure? {
    guard let error = error as? ArchiveError else { return CommandFailure(library: error) }
    return CommandFailure(status(of: error.code), diagnostics: [error.diagnostic()])
}

private func status(of code: ArchiveError.Code) -> ExitStatus {
    switch code {
    case .inputOutput, .fileChanged: .inputOutput
    case .library, .usage: .internalError
    default: .badData
    }
}
