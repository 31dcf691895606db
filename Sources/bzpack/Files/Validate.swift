internal import AppFormats
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension Bzpack {
    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check .bztimer files.",
            discussion: """
                Each file is checked against the schema of the version that it is, then its identifiers and references, \
                then once more in the current version. All faults are reported, not just the first. Ends with 0 where all \
                files are valid, 3 where there are warnings, 65 where a file is not valid, 66 where one cannot be read.
                """
        )

        @OptionGroup var output: FormatOption

        @Flag(help: "Report members that the version does not know.")
        var strict = false

        @Argument(help: "The files; - is the standard input.", completion: .file(extensions: ["bztimer", "json"]))
        var files: [String]

        func run() throws {
            try InputPaths.check(files)
            var reports: [FileReport] = []
            var json: [JSONValue] = []
            for file in files {
                let (report, reading) = BztimerInput.read(file, strict: strict)
                reports.append(report)
                StandardError.write(report.text)
                switch output.format {
                case .text: try StandardOutput.shared.write(Self.text(report, reading))
                case .json: json.append(Self.json(report, reading))
                }
            }
            if output.format == .json {
                try StandardOutput.shared.write(JSONValue.object(["files": .array(json)]).encoded(.indented))
            }
            if reports.worst != .success { throw reports.worst.exitCode }
        }

        static func text(_ report: FileReport, _ reading: BztimerReading?) -> String {
            let version = reading?.version.map { " (version \($0))" } ?? ""
            let state = report.isUsable ? "valid" : "not valid"
            let findings = report.total == 0 ? "" : ", \(Words.count(report.total, "finding"))"
            return TerminalText.safe("\(report.file): \(state)\(version)\(findings)") + "\n"
        }

        static func json(_ report: FileReport, _ reading: BztimerReading?) -> JSONValue {
            var object = report.json
            object["version"] = reading?.version.map { .number(JSONNumber($0)) } ?? .null
            object.sort(first: ["file", "valid", "version"])
            return .object(object)
        }
    }
}
