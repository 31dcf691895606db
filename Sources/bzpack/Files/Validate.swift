internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension Bzpack {
    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "validate",
            abstract: "Check .bztimer and .bzpack files, GymPulse presets, Zwift workouts, and backups.",
            discussion: """
                Each file is checked against the schema of the version that it is, then its identifiers and references, \
                then once more in the current version; of a .bzpack each of its files, after the archive and its manifest. A \
                backup is checked as restore does. All faults are reported, not just the first. Ends with 0 where all files are valid, 3 where there are \
                warnings, 65 where a file is not valid, 66 where one cannot be read.
                """
        )

        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Flag(help: "Report members that the version does not know.")
        var strict = false

        @Flag(help: "Correct corrupt presets as the app does, and list each repair; the file stays as it is.")
        var repair = false

        @Argument(
            help: "The files; - is the standard input.",
            completion: .file(extensions: ["bztimer", "bzpack", "json", "plist", "zwo"])
        )
        var files: [String]

        func run() throws {
            try InputPaths.check(files)
            var reports: [FileReport] = []
            var json: [JSONValue] = []
            try ProgressLine().forEach(files, "Checking", "files") { file in
                for (report, version) in TimerInput.find(file, strict: strict, repair: repair).parts {
                    reports.append(report)
                    StandardError.write(report.text)
                    switch output.format {
                    case .text: try StandardOutput.shared.report(report.summary(version: version) + "\n")
                    case .json: json.append(report.json(version: version))
                    }
                }
            }
            if output.format == .json {
                try StandardOutput.shared.write(JSONValue.object(["files": .array(json)]).encoded(.indented))
            }
            if reports.worst != .success { throw reports.worst.exitCode }
        }
    }
}
