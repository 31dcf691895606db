internal import BZTimer
internal import CommandSupport
internal import RecordStore
internal import StrictJSON
internal import Synchronization

/// Reports the records that the stores of a command hold and that could not be read.
enum FaultReport {
    private static let stores = Mutex<[BztimerStore]>([])

    /// Has the store's faults reported when the command ends.
    static func watch(_ store: BztimerStore) { stores.withLock { $0.append(store) } }

    /// Writes a warning for each record that was left out; ends with 3 where there are some.
    static func finish() -> ExitStatus {
        let diagnostics = stores.withLock { $0 }.flatMap { store in
            store.faults.map { fault in
                Diagnostic(
                    .warning,
                    code: StoreError.Code.record.description,
                    message: "\(fault); it stays as it is; \(remedy(fault))",
                    file: store.path
                )
            }
        }
        StandardError.write(DiagnosticRenderer().render(diagnostics))
        return diagnostics.isEmpty ? .success : .findings
    }

    private static func remedy(_ fault: StoreFault) -> String {
        switch fault.kind {
        case .session: "bzpack session delete '\(fault.id)'\(StoreArgument.repeated) removes it"
        case .activity: "bzpack activity delete '\(fault.id)'\(StoreArgument.repeated) removes it"
        case .preset: "bzpack presets delete '\(fault.id)'\(StoreArgument.repeated) removes it"
        case .historyEntry: "bzpack history clear\(StoreArgument.repeated) removes it with all others"
        case .setting where fault.id == "customCategories":
            "bzpack categories delete NAME\(StoreArgument.repeated) removes a name that cannot be used"
        case .setting: "bzpack settings set '\(fault.id)' VALUE\(StoreArgument.repeated) replaces it"
        }
    }
}
