internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// The sessions that run at the same time as one that was changed.
struct SessionOverlaps {
    private let findings: [Diagnostic]

    init(_ session: StudySession, _ records: StudyRecords, _ now: Timestamp, _ clock: LocalClock) throws {
        let others = try records.overlaps(with: session, now: now)
        func line(_ session: StudySession) throws -> String {
            SessionArgument.line(session, clock, session.seconds(try records.events(of: session), until: now))
        }
        findings = try others.map { other in
            Diagnostic(.warning, code: "study.overlap", message: Messages.overlap(try line(session), try line(other)))
        }
    }

    /// Names them.
    func warn() { StandardError.write(DiagnosticRenderer().render(findings)) }

    /// Ends the command with 3 where there are any.
    func end() throws { if !findings.isEmpty { throw ExitStatus.findings.exitCode } }
}

/// Finds the session that a person means.
enum SessionArgument {
    static let help = ArgumentHelp("The session: its short name, its id, last or running.", valueName: "session")

    /// - Throws: 66 where there is no such session, 64 where several have the short name.
    static func find(_ text: String, _ records: StudyRecords) throws -> StudySession {
        switch text.lowercased() {
        case "last": if let found = try records.log().sessions.last { return found }
        case "running": if let found = try records.current() { return found }
        default: break
        }
        if let found = try records.session(id: text) { return found }
        let ids = try records.handles().ids(matching: text)
        guard let id = ids.first, let found = try records.session(id: id) else {
            throw CommandFailure(
                .noInput,
                Messages.noSession(text)
            )
        }
        guard ids.count == 1 else {
            throw CommandFailure(.usage, Messages.severalSessions(ids.count, text))
        }
        return found
    }

    /// Returns the subject, the times and the length of a session.
    static func line(_ session: StudySession, _ clock: LocalClock, _ seconds: Int) -> String {
        let start = session.start.moment
        let day = clock.day(of: start)
        let end = session.end.map { end in
            let last = clock.day(of: end.moment)
            return "–" + (last == day ? "" : "\(last.words) ") + clock.time(of: end.moment)
        }
        let state = session.status == .paused ? ", paused" : ", running"
        let times = "\(day.words) \(clock.time(of: start))\(end ?? (session.status == .completed ? "" : state))"
        return "\"\(session.subject)\", \(times), \(Words.length(seconds))"
    }
}
