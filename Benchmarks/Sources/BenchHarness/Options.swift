/// The command line of a contender: `MODE FILE [--schema FILE] [--rounds N | --once]`.
public struct Options {
    /// How often to run, and what prompts each run.
    public enum Rounds {
        /// A warm-up, then one run for each line on standard input: how `bench.py` interleaves contenders.
        case prompted
        /// A warm-up, then so many runs, printed as one JSON object.
        case fixed(Int)
        /// One run without a warm-up and without output: for peak memory.
        case once
    }

    /// What to measure.
    public let mode: String
    /// The path of the data set.
    public let file: String
    /// The path of the schema, for modes that validate.
    public private(set) var schema: String?
    /// How often to run.
    public private(set) var rounds = Rounds.prompted

    /// Reads the arguments of the process, or throws what is wrong with them.
    public init(arguments: [String] = CommandLine.arguments) throws {
        guard arguments.count >= 3 else { throw BenchError("usage: MODE FILE [--schema FILE] [--rounds N | --once]") }
        mode = arguments[1]
        file = arguments[2]
        var rest = arguments.dropFirst(3)
        while let option = rest.popFirst() {
            switch option {
            case "--once":
                rounds = .once
            case "--schema":
                schema = rest.popFirst()
            case "--rounds":
                guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw BenchError("--rounds takes a number of at least 1")
                }
                rounds = .fixed(count)
            default:
                throw BenchError("unknown option \(option)")
            }
        }
    }
}

/// A reason to give up, in words.
public struct BenchError: Error, CustomStringConvertible {
    /// The message.
    public let description: String

    /// An error with that message.
    public init(_ message: String) { description = message }
}
