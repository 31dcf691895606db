internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import StrictJSON

extension Bzpack {
    struct ActivityGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "activity",
            abstract: "List, rename, duplicate or delete the saved activities.",
            subcommands: [List.self, Rename.self, Duplicate.self, Delete.self]
        )

        /// Checks that an activity may be edited or copied.
        ///
        /// On the Free plan one in a custom category can only be seen, run and deleted.
        static func requireEditable(_ activity: BlockTemplate, _ plan: Plan) throws(CommandFailure) {
            guard plan == .free, let category = activity.category, Categories.builtIn(matching: category) == nil else {
                return
            }
            throw CommandFailure(.needsPro, Plan.categoryMessage)
        }
    }
}
