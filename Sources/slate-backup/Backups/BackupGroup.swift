internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import RecordStore

extension SlateBackup {
    struct BackupGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup",
            abstract: "Back up now or regularly, and show the last good backup.",
            subcommands: [BackupRun.self, BackupStatus.self, BackupScheduling.self],
            defaultSubcommand: BackupRun.self
        )
    }

    struct BackupRun: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Back up, prove that it restores, and remove old backups.",
            discussion: """
                Does what export, verify --restore and prune do, one after the other; what fails ends it, so that old \
                backups stay until there is a new one that restores. It does not encrypt. Without --keep, 7 daily, 4 weekly, 12 monthly and 10 \
                yearly backups stay. "backup schedule" runs this command. Ends with 3 where there are warnings.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var place: BackupPlace

        func run() throws {
            let store = try database.resolvedPath()
            let folder = try place.folder(of: store)
            try BackupPlace.make(folder)
            var moment = clock.now.map { ["--now=\($0.text)"] } ?? []
            if let zone = zone.timeZone { moment += ["--time-zone", zone] }
            var hasFindings = false
            func step(_ arguments: [String]) throws {
                do {
                    var command = try SlateBackup.parseAsRoot(arguments + moment)
                    try command.run()
                } catch let code as ExitCode where code == ExitStatus.findings.exitCode {
                    hasFindings = true
                }
            }
            let excluded = database.excluded.flatMap { ["--exclude", $0] }
            let export = ["export", "--store", store, "--output", folder, "--yes", "--as-backup"] + excluded + moment
            let written = try (SlateBackup.parseAsRoot(export) as? Export)?.export()
            hasFindings = written?.hasFindings == true
            try step(["verify", "--restore", "--repair"] + (written?.path.map { [$0] } ?? ["--from", folder]))
            let name = written?.path?.split(separator: "/").last.map { ["--written", String($0)] } ?? []
            try step(["prune", folder, "--repair", "--yes"] + name + place.rules)
            if hasFindings { throw ExitStatus.findings.exitCode }
        }
    }
}

/// The options for the folder and the number of backups.
struct BackupPlace: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder (default: that of the schedule, else ~/Backups/Slate).",
            valueName: "folder"
        ),
        completion: .directory
    )
    var to: String?

    @Option(help: ArgumentHelp("Keep this many of the newest backups.", valueName: "number"))
    var keep: Int?

    func validate() throws {
        if let keep, keep < 1 { throw ValidationError(Messages.badKeep) }
    }

    /// Returns the whole path of the folder.
    ///
    /// - Throws: 64 where it was not named and nothing else tells.
    func folder(of store: String) throws(CommandFailure) -> String {
        if let to {
            guard !to.isEmpty else { throw CommandFailure(.usage, Messages.toNeedsFolder) }
            return ResolvedPath(to).text
        }
        if let folder = try BackupNotes()?.backups(of: store).schedule?.folder { return folder }
        guard let home = OtherProgram.home else {
            throw CommandFailure(.usage, Messages.noHome)
        }
        return "\(home)/Backups/Slate"
    }

    /// The arguments of `prune` that keep these backups.
    var rules: [String] {
        if let keep { return ["--keep-last", "\(keep)"] }
        return ["--keep-daily", "7", "--keep-weekly", "4", "--keep-monthly", "12", "--keep-yearly", "10"]
    }

    /// Makes a folder and those above it, where they are missing.
    static func make(_ folder: String) throws(CommandFailure) {
        do throws(StoreError) {
            try StoreLocation.createFolder(of: "\(folder)/x")
        } catch {
            throw CommandFailure(.cannotCreate, error.message)
        }
    }
}
