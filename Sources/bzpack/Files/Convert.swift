internal import AppFormats
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension Bzpack {
    struct Convert: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn presets of GymPulse into sessions of BZ Timer, and sessions into presets.",
            discussion: """
                What the file is decides what it becomes. A session is a preset where activities and rests take turns, all of \
                one length each, after a transition or none; else the first block that breaks this is named. What the other \
                format has no place for is said, and the exit code is 3.
                """
        )

        @Option(
            name: .customLong("only"),
            parsing: .singleValue,
            help: ArgumentHelp("Convert this session or preset; may be repeated. By default all.", valueName: "name|id")
        )
        var names: [String] = []

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output = "-"

        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption

        @Argument(help: "The file; - is the standard input.", completion: .file(extensions: ["bztimer", "json"]))
        var file: String

        func run() throws {
            let source = ConversionSource(file: try TimerInput.require(file))
            let content = try source.converted(
                only: names,
                generator: "bzpack \(SatchelVersion.current)",
                at: clock.moment
            )
            let target = OutputFile(output)
            try confirmation.requireReplacing(
                target,
                unless: { source.isPresets ? Losses.isBztimer(target) : PresetInput.isPresets(target) }
            )
            try target.write(content.result)
            Losses.report(
                content.losses,
                notes: [],
                code: "conversion.loss",
                file: source.file.name,
                position: source.file.position
            )
            if !content.losses.isEmpty || source.file.status != .success { throw ExitStatus.findings.exitCode }
        }
    }
}
