internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack.ActivityGroup {
    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Give a saved activity another label."
        )

        @OptionGroup var store: StoreOption
        @Argument(help: ArgumentHelp("The activity.", valueName: "label|id")) var activity: String
        @Argument(help: ArgumentHelp("The new label.", valueName: "new-label")) var label: String

        func run() throws {
            guard !Words.isBlank(label) else { throw CommandFailure(.usage, Messages.activityNeedsLabel) }
            let old = try store.writing(mustExist: true).write { records in
                var found = try Selection(records.activities())(activity)
                try Bzpack.ActivityGroup.requireEditable(found, records.settings().plan)
                let old = found.label
                found.label = label
                try records.update(found)
                return old
            }
            try StandardOutput.shared.report(TerminalText.safe(Messages.renamed(old, label)) + "\n")
        }
    }
}
