package import ArgumentParser
internal import CommandSupport
internal import StudyTimer

/// The commands of Study Timer: `tracker-export study`, and `satchel study`.
package struct StudyGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "study",
        abstract: "Track study sessions, and look back at them.",
        discussion: """
            The store is $XDG_DATA_HOME/satchel/timer.db, by default under ~/.local/share, or what --store names. The files \
            of Study Timer are exported, imported and checked by the commands of those names.
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "Tracking",
                subcommands: [StudyStart.self, StudyPause.self, StudyResume.self, StudyStop.self, StudyStatus.self]
            ),
            CommandGroup(name: "Correcting", subcommands: [StudySessions.self, StudyUndo.self]),
            CommandGroup(
                name: "Looking back",
                subcommands: [StudySummary.self, StudyReport.self, StudyGoalCommand.self, TrackerTool.Open.self]
            ),
            CommandGroup(name: "Backups", subcommands: [StudyFind.self, StudyRestore.self]),
            CommandGroup(
                name: "Store",
                subcommands: [TrackerTool.Init.self, TrackerTool.Export.self, TrackerTool.Import.self]
            ),
            CommandGroup(
                name: "Files",
                subcommands: [
                    TrackerTool.Validate.self, TrackerTool.Verify.self, TrackerTool.Migrate.self,
                    TrackerTool.Merge.self,
                ]
            ),
        ],
        defaultSubcommand: StudyStatus.self
    )

    /// Makes the command without a subcommand.
    package init() {}
}

/// The store of Study Timer.
struct StudyStoreOption: ParsableArguments {
    @OptionGroup var store: StoreOption

    private var any: AnyStoreOption {
        var option = AnyStoreOption()
        (option.store, option.app) = (store, .study)
        return option
    }

    /// Returns the path of the store.
    func path() throws(CommandFailure) -> String { try any.path(of: .study) }

    /// Opens the store for reading.
    func reading() throws -> StudyStore { try any.readingStudy() }

    /// Opens the store for writing; the default one is made where there is none.
    func writing() throws -> StudyStore { try any.importingStudy(isDryRun: false) }
}
