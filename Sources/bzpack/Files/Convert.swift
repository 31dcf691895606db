internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack {
    struct Convert: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "convert",
            abstract:
                "Turn presets of GymPulse and workouts of Zwift into sessions of BZ Timer, and sessions into them.",
            discussion: """
                Presets and workouts become sessions, told by their content; sessions become presets, or with --to zwo one of them \
                a workout. A session is a preset where activities and rests take turns, all of \
                one length each, after a transition or none; else the first block that breaks this is named. Where \
                the other format has no place for something, a warning names it, and the exit code is 3.
                """
        )

        @Option(
            name: .customLong("only"),
            parsing: .singleValue,
            help: ArgumentHelp("Convert this session or preset; may be repeated. By default all.", valueName: "name|id")
        )
        var names: [String] = []

        @Option(help: "Convert to this kind instead of the usual one.")
        var to: ConversionTarget?

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output = "-"

        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption

        @Argument(
            help: "The file; - is the standard input.",
            completion: .file(extensions: ["bztimer", "json", "plist", "zwo"])
        )
        var file: String

        func run() throws {
            let source = ConversionSource(file: try TimerInput.require(file))
            if to == nil, source.usualTarget == .presets, output.lowercased().hasSuffix(".zwo") {
                throw CommandFailure(.usage, Messages.sessionsBecomePresets(output))
            }
            let to = to ?? source.usualTarget
            let content = try source.converted(
                to: to,
                only: names,
                generator: "bzpack \(SatchelVersion.current)",
                at: try clock.moment()
            )
            let target = OutputFile(output)
            try confirmation.requireReplacing(target, unless: { to.isAlready(target) })
            try target.write(content.result)
            try target.reportWritten()
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
