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
        let change = try store.writing().write { try $0.undo(identifier: newIdentifier) }
        let lines = change.reversed.sessions.map { step in
            switch (step.before, step.after) {
            case (nil, let after?): Messages.added(SessionArgument.line(after, clock.local))
            case (let before?, nil): Messages.deleted(SessionArgument.line(before, clock.local))
            case (_, let after?): Messages.changed(SessionArgument.line(after, clock.local))
            case (nil, nil): ""
            }
        }
        let session = change.sessions.lazy.compactMap { $0.before ?? $0.after }.first
        try output.print(
            ([Messages.undone(change.what)] + lines).map { TerminalText.safe($0) + "\n" }.joined(),
            [
                "what": .string(change.what), "stopped": .null,
                "session": session.map { StudyWords.json($0, seconds: $0.accumulatedSeconds) } ?? .null,
            ]
        )
    }
}
