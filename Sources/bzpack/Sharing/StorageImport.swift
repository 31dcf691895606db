internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import RecordStore
internal import StrictJSON

/// `import --from-storage`: what a phone's storage holds of BZ Timer, into the store.
struct StorageImport {
    let path: String
    let store: StoreOption
    let output: FormatOption
    let now: Timestamp
    let isDryRun: Bool
    let allowsDuplicates: Bool

    func run() throws {
        let storage = try AsyncStorage(reading: path, keys: BztimerStorageKey.allNames)
        let reading = BztimerStorageReading(storage.values, of: path)
        let findings = FileReport(
            file: path,
            diagnostics: storage.diagnostics + reading.diagnostics,
            total: storage.diagnostics.count + reading.findingCount
        )
        StandardError.write(findings.text)
        guard reading.isUsable else {
            StandardError.write(StorageReport.keys(storage, reading))
            throw CommandFailure(.badData, Messages.unusableStorage(path))
        }
        let report = StorageReport(
            storage: storage,
            reading: reading,
            plan: isDryRun ? try plan(reading) : try apply(reading),
            store: try store.resolvedPath(),
            isDryRun: isDryRun,
            allowsDuplicates: allowsDuplicates
        )
        try output.report(report.text, report.json, isDryRun: isDryRun || report.refusal != nil)
        if let refusal = report.refusal { throw CommandFailure(.needsPro, refusal) }
        if report.hasFindings || findings.status != .success { throw ExitStatus.findings.exitCode }
    }

    private func plan(_ reading: BztimerStorageReading) throws -> StorageImportPlan {
        guard let store = try store.readingIfPresent() else {
            let empty = StorageImportPlan.Store(
                isNew: true,
                settings: TimerSettings(),
                sessions: [],
                activities: [],
                history: []
            )
            return plan(reading, empty)
        }
        return try store.read { plan(reading, try $0.storageImportState()) }
    }

    private func apply(_ reading: BztimerStorageReading) throws -> StorageImportPlan {
        try store.writing(mustExist: false).write { records in
            let plan = plan(reading, try records.storageImportState())
            try records.apply(plan)
            return plan
        }
    }

    private func plan(_ reading: BztimerStorageReading, _ state: StorageImportPlan.Store) -> StorageImportPlan {
        StorageImportPlan(
            importing: reading,
            into: state,
            allowsDuplicates: allowsDuplicates,
            now: now,
            newID: newIdentifier
        )
    }
}
