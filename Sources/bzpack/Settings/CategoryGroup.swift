internal import ArgumentParser

extension Bzpack {
    struct CategoryGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "categories",
            abstract: "List, add, rename or delete categories.",
            discussion: "Six categories are built in. Custom ones are added, renamed and deleted on the Pro plan.",
            subcommands: [List.self, Add.self, Rename.self, Delete.self],
            defaultSubcommand: List.self
        )
    }
}
