internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack.ActivityGroup {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the saved activities.")

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let (activities, plan) = try store.reading().read { (try $0.activities(), try $0.settings().plan) }
            let json: JSONValue = [
                "plan": .string(plan.rawValue), "activities": .array(activities.map(\.json)),
            ]
            try output.print(Self.text(activities, plan), json)
        }

        static func text(_ activities: [BlockTemplate], _ plan: Plan) -> String {
            guard !activities.isEmpty else { return "The store has no saved activities.\n" }
            var table = TextTable([.left("LABEL"), .fixed("TIMING"), .left("CATEGORY"), .fixed("ID")])
            for activity in activities.sorted(by: { NaturalOrder.precedes($0.label, $1.label) }) {
                table.add([
                    TerminalText.cut(activity.label, to: Words.nameColumns), Words.timing(activity.timing),
                    activity.category ?? "", activity.id,
                ])
            }
            guard let limit = plan.activityLimit, activities.count >= limit else { return table.render() }
            return table.render() + "\nFree plan: Up to \(limit) saved activities.\n"
        }
    }
}
