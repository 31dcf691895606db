internal import AppFormats
internal import AppStores
internal import CommandSupport
internal import StrictJSON

/// What the errors of the libraries mean to the person who runs bzpack.
func failure(_ error: any Error) -> CommandFailure? {
    switch error {
    case let error as StoreError: CommandFailure(status(of: error.code), diagnostics: [error.diagnostic])
    case let error as AppFormatError: formatFailure(error)
    case let error as JSONError: CommandFailure(.badData, diagnostics: [error.diagnostic(file: nil)])
    default: nil
    }
}

private func formatFailure(_ error: AppFormatError) -> CommandFailure {
    switch error.code {
    case .needsPro, .limit: CommandFailure(.needsPro, error.message)
    case .setting, .category: CommandFailure(.usage, error.message)
    default: CommandFailure(.badData, diagnostics: [error.diagnostic(file: nil)])
    }
}

private func status(of code: StoreError.Code) -> ExitStatus {
    switch code {
    case .notFound: .noInput
    case .cannotOpen, .readOnly: .cannotCreate
    case .notADatabase, .foreign, .newerVersion, .corrupt, .record, .conflict: .badData
    default: .inputOutput
    }
}

extension StoreError {
    var diagnostic: Diagnostic { Diagnostic(code: code.description, message: message, file: path) }
}
