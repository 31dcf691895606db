internal import CivilTime
internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Make a new database with the app's tables.",
            discussion:
                "With --sample it holds some tasks, habits and two weeks of their history, to try things out on."
        )

        @OptionGroup var database: LocationOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption

        @Flag(help: "Put sample tasks and habits into the database.")
        var sample = false

        func run() throws {
            let path = try database.resolvedPath()
            if FolderListing.isFolder(path) {
                throw CommandFailure(.cannotCreate, Messages.folderInTheWay(path))
            }
            if try database.readingIfPresent() != nil { throw Self.existing(path) }
            let localClock = try zone.clock()
            let now = try clock.moment(in: localClock)
            let (store, _) = try database.writing(mustExist: false)
            guard sample else {
                try store.makeTables()
                return try StandardOutput.shared.report(Messages.made(TerminalText.safe(path)))
            }
            let reading = SlateFormat.read(
                Sample(now: now, clock: localClock).json.encoded(.compact),
                name: "the sample"
            )
            guard let content = reading.content else {
                throw CommandFailure(.internalError, diagnostics: reading.diagnostics)
            }
            let today = localClock.day(of: now)
            _ = try store.importing(content, SlateImportOptions(today: today, moment: now)) { plan in
                guard plan.count(.remove) == 0, plan.count(.update) == 0 else { throw Self.existing(path) }
            }
            let rows =
                "\(Words.count(content.count(.tasks), "task")) and \(Words.count(content.count(.habits), "habit"))"
            try StandardOutput.shared.report(Messages.made(TerminalText.safe(path), with: rows))
        }

        private static func existing(_ path: String) -> CommandFailure {
            CommandFailure(.cannotCreate, Messages.exists(path))
        }
    }
}
