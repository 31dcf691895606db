internal import AgeFile
package import ArchiveIO
package import FileSystem
package import FormatKit
package import RecordStore
package import StrictJSON

extension CommandFailure {
    /// Makes the failure for an error of the libraries that all programs use; nil for other errors.
    package init?(library error: any Error) {
        switch error {
        case let error as StoreError: self.init(error)
        case let error as AppFormatError: self.init(error)
        case let error as ArchiveError: self.init(error)
        case let error as FileError: self.init(error)
        case let error as AgeError: self.init(error, file: nil)
        case let error as JSONError: self.init(.badData, diagnostics: [error.diagnostic(file: nil)])
        default: return nil
        }
    }

    /// Makes the failure for an error of a store.
    package init(_ error: StoreError) { self.init(Self.status(of: error.code), diagnostics: [error.diagnostic]) }

    /// Makes a failure of a refusal by the system.
    package init(_ error: FileError) {
        let (status, verb): (ExitStatus, String) =
            switch error.step {
            case .open, .look: (.noInput, "read")
            case .read: (.inputOutput, "read")
            case .list: (.noInput, "read the folder")
            case .content: (.badData, "read")
            case .create, .makeFolder: (.cannotCreate, "create")
            case .write, .force: (.inputOutput, "write")
            case .forceFolder: (.inputOutput, "force to the disk the folder of")
            case .rename: (.inputOutput, "rename")
            case .remove: (.inputOutput, "remove")
            case .lock: (.inputOutput, "lock")
            }
        self.init(status, "cannot \(verb) \(error.path): \(error.reason)")
    }

    /// Makes the failure for an error of an archive.
    package init(_ error: ArchiveError) { self.init(Self.status(of: error.code), diagnostics: error.diagnostics()) }

    /// Makes the failure for an error about a format.
    package init(_ error: AppFormatError) {
        switch error.code {
        case .needsPro, .limit: self.init(.needsPro, error.message)
        case .setting, .category, .retention: self.init(.usage, error.message)
        case .nothingToUndo: self.init(.noInput, diagnostics: [error.diagnostic(file: nil)])
        default: self.init(.badData, diagnostics: [error.diagnostic(file: nil)])
        }
    }

    private static func status(of code: ArchiveError.Code) -> ExitStatus {
        switch code {
        case .inputOutput, .fileChanged: .inputOutput
        case .library, .usage: .internalError
        default: .badData
        }
    }

    private static func status(of code: StoreError.Code) -> ExitStatus {
        switch code {
        case .notFound, .noSafetyBackup, .hotJournal, .hotWAL, .unreadable: .noInput
        case .cannotOpen, .readOnly: .cannotCreate
        case .notADatabase, .foreign, .encoding, .newerVersion, .corrupt, .record, .conflict, .unknownTable,
            .unknownColumn, .value, .reference, .constraint, .unrecognized, .limit:
            .badData
        case .olderVersion, .exclusion: .usage
        case .notAsPlanned: .internalError
        default: .inputOutput
        }
    }
}

extension StoreError {
    /// The error as the line that programs print.
    package var diagnostic: Diagnostic { Diagnostic(code: code.description, message: message, file: path) }
}
