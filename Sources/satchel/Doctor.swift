internal import AppList
internal import ArgumentParser
internal import CommandSupport
internal import RecordStore
internal import StrictJSON
internal import foldersync
internal import slate_backup

extension Satchel {
    struct Doctor: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "doctor",
            abstract: "Read every record and every shared file, and check them.",
            discussion: "Changes nothing. Ends with 3 where something is wrong; each line says what to do about it."
        )

        @OptionGroup var output: FormatOption

        func run() throws {
            let stores = LocalStore.all()
            var checks: [HealthCheck] = []
            let progress = ProgressLine()
            progress.forEach(stores, "Reading", "stores") { checks.append(Self.check($0)) }
            checks += try stores.compactMap(Self.checkBackup)
            progress.show("Reading shared folders")
            checks += try SyncProgram.check()
            progress.end()
            let painter = Painter.output
            let text = checks.map { check in
                let verdict = check.isSound ? painter.paint("ok   ", .done) : painter.paint("FAULT", .error)
                let advice = check.advice.map { "; \($0)" } ?? ""
                return "\(verdict) \(TerminalText.safe("\(check.subject): \(check.finding)\(advice)"))\n"
            }
            try output.print(
                checks.isEmpty ? Messages.nothingToCheck : text.joined(),
                ["checks": .array(checks.map(\.json))]
            )
            try (checks.allSatisfy(\.isSound) ? ExitStatus.success : .findings).finish()
        }

        /// Reads the last good backup of a store, where one was ever noted.
        private static func checkBackup(_ store: LocalStore) throws -> HealthCheck? {
            let command = store.app.rawValue == "slate" ? "satchel slate backup" : "satchel timer backup FILE"
            return try SlateProgram.lastBackup(of: store.path, isThorough: true)?.check(store.title, command: command)
        }

        /// Reads all records of a store.
        private static func check(_ store: LocalStore) -> HealthCheck {
            let subject = "\(store.title), \(store.path)"
            do {
                var read = 0
                var unreadable: [String] = []
                let opened = try AppStores.all.open(store.path)
                try opened.read { records in
                    for collection in opened.collections {
                        try records.forEachRecord(in: collection) { key, object in
                            read += 1
                            guard let fault = opened.fault(of: object, in: collection) else { return }
                            unreadable.append("the record \"\(key.key)\" of \(key.collection): \(fault)")
                        } unreadable: {
                            unreadable.append($0.error.message)
                        }
                    }
                }
                guard let first = unreadable.first else { return HealthCheck(subject, Messages.read(read)) }
                return HealthCheck(
                    subject,
                    Messages.unusable(unreadable.count, of: read + unreadable.count, first),
                    advice: Messages.restoreRecords
                )
            } catch {
                let reason = (error as? StoreError)?.message ?? "\(error)"
                return HealthCheck(subject, reason, advice: advice((error as? StoreError)?.code))
            }
        }

        /// Returns the advice for a store that cannot be read; a sound one is not to be replaced.
        private static func advice(_ code: StoreError.Code?) -> String {
            switch code {
            case .newerVersion: Messages.leaveStore
            case .cannotOpen, .readOnly, .busy: Messages.nothingLost
            default: Messages.restoreStore
            }
        }
    }
}
