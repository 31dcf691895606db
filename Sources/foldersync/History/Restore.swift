internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Make all records of a store what they were at a time, on all devices.",
            discussion: """
                These are edits like any others: nothing is forgotten, and restore --at a later time takes them back. --dry-run \
                shows what would come and go.
                """
        )

        @OptionGroup var past: PastOptions
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would come and go, and do nothing.")
        var dryRun = false

        func run() throws {
            let moment = try past.moment(now: clock, echo: output.format)
            let (target, replica) = try past.open(now: clock.given())
            let differences = try replica.differences(toMoment: moment.milliseconds)
            let printer = PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun)
            let plan = DifferenceReport.text(differences, target, moment.moment)
            printer.show(plan.split(separator: "\n").map(String.init))
            guard !dryRun, !differences.isEmpty else {
                let json = DifferenceReport.json(differences, target, moment.moment)
                return try printer.finish("Nothing was changed.", json)
            }
            try printer.require("Make \(target.store.path) what it was at \(moment), on all devices?")
            let sync = SyncReport(try replica.restore(at: moment.milliseconds))
            try printer.finish(
                "\(target.app.title) is what it was at \(moment).",
                DifferenceReport.json(differences, target, moment.moment, sync)
            )
            try sync.status.finish()
        }
    }
}
