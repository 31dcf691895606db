internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import Slate
internal import StrictJSON

extension FolderSyncTool {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show all records of a store as they were at a time.",
            discussion: """
                What is printed is the document of the app's format, which its other programs read. With --changes it is what \
                restore would do. It reaches back as far as the files of the folder do.
                """
        )

        @OptionGroup var past: PastOptions
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var format: FormatOption

        @Flag(help: "Show what is different from now instead.")
        var changes = false

        @Option(
            name: .shortAndLong,
            help: "Write the document to this file; - is the standard output.",
            completion: .file()
        )
        var output = "-"

        func run() throws {
            let moment = try past.moment(echo: changes ? format.format : .text)
            let (target, replica) = try past.open()
            guard changes else {
                let bytes = try replica.document(at: moment.milliseconds).encoded(.indented)
                let file = OutputFile(output)
                try confirmation.requireReplacing(file)
                return try file.write(bytes)
            }
            let differences = try replica.differences(toMoment: moment.milliseconds)
            try format.print(
                DifferenceReport.text(differences, target, moment.moment),
                DifferenceReport.json(differences, target, moment.moment)
            )
        }
    }
}

/// What goes back to what it was.
enum DifferenceReport {
    static func text(_ differences: [SyncedChange.RecordChange], _ target: Target, _ moment: Timestamp) -> String {
        guard !differences.isEmpty else { return "\(target.app.title): nothing is different from \(moment).\n" }
        let lines = differences.map { touched in
            let members = RecordWords.members(of: touched)
            switch touched.action {
            case .added: return "  comes back  \(RecordWords.name(touched.name))"
            case .changed, .kept: return "  goes back   \(RecordWords.name(touched.name))\(members)"
            case .deleted: return "  goes away   \(RecordWords.name(touched.name))"
            }
        }
        let verb = differences.count == 1 ? "differs" : "differ"
        let heading = "\(target.app.title), back to \(moment): \(Words.count(differences.count, "record")) \(verb)"
        return ([heading] + lines).map { TerminalText.safe($0) + "\n" }.joined()
    }

    static func json(
        _ differences: [SyncedChange.RecordChange],
        _ target: Target,
        _ moment: Timestamp,
        _ sync: SyncReport? = nil
    ) -> JSONValue {
        var object = target.json
        object["at"] = .string(moment.description)
        object["records"] = .array(
            differences.map(RecordWords.json)
        )
        object["sync"] = sync.map { .object($0.json) } ?? .null
        return .object(object)
    }
}
