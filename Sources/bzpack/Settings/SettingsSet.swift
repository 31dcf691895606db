internal import ArgumentParser
internal import BZTimer
internal import CommandSupport

extension Bzpack.SettingsGroup {
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a setting.",
            discussion: """
                Settings: preCountdownSeconds (0, 3 or 5), warningSecondsBeforeEnd (0 to 3600), enableSounds, \
                enableVibration, keepScreenAwakeDuringSession (true or false), historyRetention (unlimited, 3months, \
                6months, 12months), isProUser (true or false). A changed historyRetention removes older history at \
                once: it says how much and asks, and what the store held is first written to a file beside it, which \
                "bzpack restore" takes to undo this. Leaving Pro deletes nothing. Custom categories are changed with \
                bzpack categories.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption

        @Argument(help: ArgumentHelp("The setting.", valueName: "setting")) var name: String
        @Argument(help: "Its new value.") var value: String
        @Flag(help: "Say what would change, and change nothing.") var dryRun = false

        func run() throws {
            guard name != "customCategories" else {
                throw CommandFailure(.usage, Messages.categoriesElsewhere)
            }
            var planned = try plan()
            if !dryRun, !planned.expired.isEmpty {
                let entries = Words.count(planned.expired.count, "history entry")
                try confirmation.require(Messages.retentionQuestion(value, entries, limit(planned)))
            }
            var safety: SafetyCopy?
            if !dryRun { (planned, safety) = try apply(planned) }
            var text = dryRun ? "Would set \(name) to \(value).\n" : "Set \(name) to \(value).\n"
            if !planned.expired.isEmpty {
                let entries = Words.count(planned.expired.count, "history entry")
                text += "\(dryRun ? "Would remove" : "Removed") \(entries) older than \(limit(planned)).\n"
            }
            if let safety { text += TerminalText.safe(safety.undo) + "\n" }
            try StandardOutput.shared.report(text)
        }

        /// The history entries to remove, and the days that the plan keeps where the setting does not decide.
        private typealias Planned = (expired: [String], days: Int?)

        private func limit(_ planned: Planned) -> String {
            planned.days.map { "\($0) days, as the Free plan keeps no more" } ?? "that"
        }

        private func plan() throws -> Planned {
            if let store = try store.readingIfPresent() {
                let (settings, expired) = try store.read { try change($0) }
                return (expired, settings.plan.historyDays)
            }
            var settings = TimerSettings()
            try settings.set(name, toText: value)
            return ([], nil)
        }

        /// Changes the setting, and removes the history entries that were agreed to.
        ///
        /// - Returns: What was done, and the file with what the store held before; nil where nothing was removed.
        private func apply(_ planned: Planned) throws -> (done: Planned, safety: SafetyCopy?) {
            let (path, now) = (try store.resolvedPath(), try clock.moment())
            let opened = try store.writing(mustExist: false)
            let (done, safety) = try Backups.changing(opened) { (records, safety) -> Planned in
                let (settings, expired) = try change(records)
                guard Swift.Set(expired).isSubset(of: planned.expired) else {
                    throw CommandFailure(.badData, Messages.historyChangedMeanwhile)
                }
                if !expired.isEmpty {
                    safety = try Backups.writeSafetyCopy(records, of: opened, at: path, now: now)
                }
                try records.save(settings, setting: name)
                try records.evictHistory(ids: expired)
                return (expired, settings.plan.historyDays)
            }
            return (done, safety)
        }

        /// Returns the settings with the change, and the history entries that they no longer keep.
        private func change(_ records: BztimerRecords) throws -> (settings: TimerSettings, expired: [String]) {
            var settings = try records.settings()
            try settings.set(name, toText: value)
            guard name == "historyRetention" else { return (settings, []) }
            let split = HistoryRetention.split(
                try records.history(),
                settings.historyRetention,
                plan: settings.plan,
                now: try clock.moment()
            )
            return (settings, split.removed.map(\.id))
        }
    }
}
