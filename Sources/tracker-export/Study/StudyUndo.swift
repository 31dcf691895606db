internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

struct StudyUndo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the last change of sessions.",
        discussion: """
            Takes back start, pause, resume, stop, and what sessions edit and delete changed, the last one first, up to 20 of \
            them. What has changed since, by an import or a sync, is left as it is.
            """
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var when: EntryClock
    @OptionGroup var output: FormatOption

    func run() throws {
        let clock = try when.clock(stored: nil)
        let (change, lines, session) = try store.writing().write { records in
            let before = try records.log()
            let change = try records.undo(identifier: newIdentifier)
            let (gone, there) = (
                SessionLengths(before, until: clock.now), SessionLengths(try records.log(), until: clock.now)
            )
            let lines = change.reversed.sessions.map { step in
                switch (step.before, step.after) {
                case (nil, let after?):
                    Messages.added(SessionArgument.line(after, clock.local, there.seconds(of: after)))
                case (let before?, nil):
                    Messages.deleted(SessionArgument.line(before, clock.local, gone.seconds(of: before)))
                case (_, let after?):
                    Messages.changed(SessionArgument.line(after, clock.local, there.seconds(of: after)))
                case (nil, nil): ""
                }
            }
            let session = change.sessions.lazy.compactMap { step in
                step.before.map { ($0, there.seconds(of: $0)) } ?? step.after.map { ($0, gone.seconds(of: $0)) }
            }.first
            return (change, lines, session)
        }
        try output.print(
            ([Messages.undone(change.what)] + lines).map { TerminalText.safe($0) + "\n" }.joined(),
            [
                "what": .string(change.what), "stopped": .null,
                "session": session.map { StudyWords.json($0.0, seconds: $0.1) } ?? .null,
            ]
        )
    }
}
