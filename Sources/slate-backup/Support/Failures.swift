internal import AppStores
internal import CommandSupport

/// What the errors of the libraries mean to the person who runs slate-backup.
func failure(_ error: any Error) -> CommandFailure? {
    var failure = CommandFailure(library: error)
    if let error = error as? StoreError { failure?.message = wayOut(of: error.code) }
    return failure
}

/// What to do about a value that Slate's format does not allow.
let wayOutOfBadValues =
    "correct it in the app, or with sqlite3; until then keep a copy of the database file itself"

/// What a person can do about a database that cannot be used, nil where the error says it.
private func wayOut(of code: StoreError.Code) -> String? {
    switch code {
    case .value: wayOutOfBadValues
    case .corrupt, .notADatabase:
        "slate-backup undo goes back to the state before the last import; without one, move the file away and import a "
            + "backup, which makes a new database"
    default: nil
    }
}
