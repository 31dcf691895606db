internal import ArgumentParser

/// The option to import records that the store has already.
struct DuplicatesOption: ParsableArguments {
    @Flag(help: "Add what the store has already once more.")
    var allowDuplicates = false

    /// The name of the option in version 0.1.0.
    @Flag(help: .hidden)
    var again = false

    var isAllowed: Bool { allowDuplicates || again }
}
