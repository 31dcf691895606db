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
                once. Leaving Pro deletes nothing. Custom categories are changed with bzpack categories.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption

        @Argument(help: ArgumentHelp("The setting.", valueName: "setting")) var name: String
        @Argument(help: "Its new value.") var value: String
        @Flag(help: "Say what would change, and change nothing.") var dryRun = false

        func run() throws {
            guard name != "customCategories" else {
                throw CommandFailure(.usage, Messages.categoriesElsewhere)
            }
            let (removed, days) = dryRun ? try plan() : try apply()
            var text = dryRun ? "Would set \(name) to \(value).\n" : "Set \(name) to \(value).\n"
            if removed > 0 {
                let limit = days.map { "\($0) days, as the Free plan keeps no more" } ?? "that"
                let entries = Words.count(removed, "history entry")
                text += "\(dryRun ? "Would remove" : "Removed") \(entries) older than \(limit).\n"
            }
            try StandardOutput.shared.report(text)
        }

        /// Returns the number of history entries to remove, and the days that the plan keeps where the setting does not
        /// decide.
        private func plan() throws -> (removed: Int, days: Int?) {
            if let store = try store.readingIfPresent() {
                let (settings, expired) = try store.read { try change($0) }
                return (expired.count, settings.plan.historyDays)
            }
            var settings = TimerSettings()
            try settings.set(name, toText: value)
            return (0, nil)
        }

        private func apply() throws -> (removed: Int, days: Int?) {
            try store.writing(mustExist: false).write { records in
                let (settings, expired) = try change(records)
                try records.save(settings, setting: name)
                try records.evictHistory(ids: expired)
                return (expired.count, settings.plan.historyDays)
            }
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
