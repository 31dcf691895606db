internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack.ActivityGroup {
    struct Duplicate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "duplicate",
            abstract: "Add a copy of a saved activity.",
            discussion: "On the Free plan a store takes up to 20 activities, in the built-in categories."
        )

        @OptionGroup var store: StoreOption
        @Argument(help: ArgumentHelp("The activity.", valueName: "label|id")) var activity: String
        @Option(help: "The copy's label; by default the old one with \" (copy)\" behind it.") var label: String?

        func run() throws {
            if let label, Words.isBlank(label) { throw CommandFailure(.usage, Messages.activityNeedsLabel) }
            let copy = try store.writing(mustExist: true).write { records in
                let activities = try records.activities()
                let plan = try records.settings().plan
                var copy = try Selection(activities)(activity)
                try Bzpack.ActivityGroup.requireEditable(copy, plan)
                if let refusal = plan.refusalToAddActivity(to: activities.count) {
                    throw CommandFailure(.needsPro, refusal)
                }
                copy.label = label ?? "\(copy.label) (copy)"
                copy.id = newIdentifier()
                try records.insert(copy)
                return copy
            }
            try StandardOutput.shared.report(TerminalText.safe(Messages.added(copy.label, id: copy.id)) + "\n")
        }
    }
}
