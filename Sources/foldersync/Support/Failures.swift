internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FolderEncryption
internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// Returns the failure for an error of the libraries, for the person who runs foldersync.
func failure(_ error: any Error) -> CommandFailure? {
    switch error {
    case let error as CommandFailure: return error
    case let error as SyncError: return CommandFailure(error)
    case let error as RegistryError where error.isNewer:
        return CommandFailure(.badData, diagnostics: [error.diagnostic])
    case let error as RegistryError:
        let path = error.diagnostic.file ?? ""
        return CommandFailure(.badData, Messages.damagedRegistry(path), diagnostics: [error.diagnostic])
    case let error as InboxError: return CommandFailure(.badData, error.message, diagnostics: error.diagnostics)
    case let error as DeclarationError: return CommandFailure(.badData, diagnostics: error.diagnostics)
    case let error as DirectoryError: return CommandFailure(error)
    case let error as EncryptionError: return CommandFailure(error)
    case let error as StoreError where error.code == .busy:
        return CommandFailure(.notNow, diagnostics: [error.diagnostic])
    case let error as StoreError where error.code == .rejected:
        return CommandFailure(.badData, diagnostics: [error.diagnostic])
    case let error as SegmentError: return CommandFailure(.badData, Messages.damagedFolderFile("\(error)"))
    case let error as MergeDataError:
        return CommandFailure(.badData, Messages.damagedState("\(error)"))
    default: return CommandFailure(library: error)
    }
}

extension CommandFailure {
    /// Makes the failure for a sync that failed.
    init(_ error: SyncError) {
        let status: ExitStatus =
            switch error.code {
            case .folder, .busy: .notNow
            case .massChange: .massChange
            case .unpublished: .unpublished
            case .notJoined, .notFound, .history: .noInput
            case .severalSpaces, .otherReplica, .state, .newerVersion, .document, .declaration: .badData
            default: .inputOutput
            }
        self.init(status, error.code.description, error.message, error.path)
    }

    /// Makes the failure for a fault of the shared folder.
    init(_ error: DirectoryError) {
        let status: ExitStatus =
            switch error.code {
            case .absent, .empty, .gone, .incomplete, .notDownloaded: .notNow
            case .noKey: .noKey
            case .otherSpace, .adopted, .newer, .corrupt, .limit, .closed, .notEncrypted: .badData
            case .exists, .readOnly: .cannotCreate
            case .usage: .internalError
            default: .inputOutput
            }
        let way = error.code == .adopted ? Messages.mergeSpacesTakesThis : ""
        self.init(status, error.code.description, error.message + way, error.path)
    }

    /// Makes the failure for an error of an encrypted folder.
    init(_ error: EncryptionError) {
        let status: ExitStatus =
            switch error.code {
            case .wrongPassphrase, .wrongRecoveryCode, .recoveryCode, .noSlot, .noKey: .noKey
            case .key: .inputOutput
            case .usage: .internalError
            default: .badData
            }
        self.init(status, error.code.description, error.message, "")
    }

    private init(_ status: ExitStatus, _ code: String, _ message: String, _ path: String) {
        let file = path.isEmpty ? nil : path
        self.init(status, diagnostics: [Diagnostic(code: code, message: message, file: file)])
    }
}

extension ExitStatus {
    /// Returns the most severe of several statuses, which is the command's.
    static func mostSevere(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
        let order: [ExitStatus] = [
            .success, .findings, .unpublished, .notNow, .noKey, .massChange, .badData, .noInput, .cannotCreate,
            .inputOutput,
        ]
        func rank(_ status: ExitStatus) -> Int { order.firstIndex(of: status) ?? order.count }
        return statuses.max { rank($0) < rank($1) } ?? .success
    }
}

extension RegistryFile {
    /// Reads the registry.
    ///
    /// - Throws: 65 where it is damaged or newer, 66 where it cannot be read.
    func readOrFail() throws(CommandFailure) -> Registry {
        do {
            return try read()
        } catch {
            throw failure(error) ?? CommandFailure(.internalError, "\(error)")
        }
    }
}
