internal import TimeTracker
internal import StudyTimer
internal import ArgumentParser
internal import CommandSupport
internal import RecordStore

extension TrackerTool {
    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Make a new store: of Time Tracker with the app's eight buttons, or of Study Timer.",
            discussion: """
                With --sample it holds two weeks of a person's days as well, or four weeks of a student's sessions, to try \
                things out on.
                """
        )

        @OptionGroup var store: AnyStoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption

        @Flag(help: "Put sample activities, or sessions, into the store.")
        var sample = false

        func run() throws {
            let kind = store.app ?? AnyStoreOption.assumedKind
            let path = try store.path(of: kind)
            if FolderListing.isFolder(path) {
                throw CommandFailure(.cannotCreate, Messages.folderInTheWay(path))
            }
            if kind == .study { return try makeStudy(path) }
            let localClock = try zone.clock()
            let now = try clock.moment(in: localClock)
            let activities = sample ? Sample(now: now, clock: localClock).activities : []
            let store = try store.store.writing(mustExist: false)
            try store.write { records in
                guard try records.count() == 0, try records.buttons().isEmpty else {
                    throw Self.existing(path)
                }
                _ = try records.addPresets()
                if let timeZone = zone.timeZone { try records.setTimeZone(timeZone) }
                for activity in activities { try records.insert(activity) }
            }
            let made = Messages.made(TerminalText.safe(path), sample: sample ? activities.count : nil)
            try StandardOutput.shared.report(made)
        }

        private func makeStudy(_ path: String) throws {
            let localClock = try zone.clock()
            let log = sample ? StudySample(now: try clock.moment(in: localClock), clock: localClock).log : StudyLog()
            // An empty one is a store as well: what goes into it, a sync would publish.
            if try Self.isStudy(path) { throw Self.existing(path) }
            let store = try store.importingStudy(isDryRun: false)
            try store.write { records in
                guard try records.counts() == (0, 0) else { throw Self.existing(path) }
                for session in log.sessions { try records.save(session) }
                for event in log.events { try records.save(event) }
            }
            let made = Messages.madeStudy(TerminalText.safe(path), sample: sample ? log.sessions.count : nil)
            try StandardOutput.shared.report(made)
        }

        private static func isStudy(_ path: String) throws -> Bool {
            do throws(StoreError) {
                return try TimeLogStore.kind(of: path) == .study
            } catch {
                guard error.code == .notFound else { throw error }
                return false
            }
        }

        private static func existing(_ path: String) -> CommandFailure {
            CommandFailure(.cannotCreate, Messages.exists(path))
        }
    }
}
