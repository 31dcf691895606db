internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import StrictJSON

/// A session or a preset: what has a timeline.
enum Runnable {
    case session(SessionTemplate)
    case preset(Preset)

    var id: String {
        switch self {
        case .session(let session): session.id
        case .preset(let preset): preset.id
        }
    }

    var name: String {
        switch self {
        case .session(let session): session.name
        case .preset(let preset): preset.name
        }
    }

    /// - Throws: 65 where a session is longer than can be timed.
    func timeline(preCountdownSeconds: Int) throws(AppFormatError) -> Timeline {
        switch self {
        case .session(let session): try Timeline(session, preCountdownSeconds: preCountdownSeconds)
        case .preset(let preset): Timeline(preset)
        }
    }

    /// The same with the sounds and the voice of a preset.
    var withSounds: Runnable {
        guard case .preset(var preset) = self else { return self }
        (preset.soundEnabled, preset.voiceEnabled) = (true, true)
        return .preset(preset)
    }

    /// Returns the cues of its timeline.
    func cues(_ timeline: Timeline, _ settings: TimerSettings) -> [TimelineCue] {
        switch self {
        case .session: TimelineCue.cues(of: timeline, settings: settings)
        case .preset(let preset): TimelineCue.cues(of: preset)
        }
    }
}

extension Runnable {
    /// Returns the sessions and presets of a store, sessions first.
    static func all(_ records: BztimerRecords) throws -> [Runnable] {
        try records.sessions().map(Runnable.session) + records.presets().map(Runnable.preset)
    }

    /// Returns the sessions of a `.bztimer` file or a workout, or the presets of a file of presets.
    ///
    /// The content tells the format; findings go to the standard error stream.
    ///
    /// - Throws: 65 or 66 where the file cannot be used.
    static func all(in path: String) throws(CommandFailure) -> (runnables: [Runnable], status: ExitStatus) {
        let required = try TimerInput.require(path)
        return switch required.content {
        case .presets(_, let file): (file.presets.map(Runnable.preset), required.status)
        case .sessions(_, let file): (file.sessions.map(Runnable.session), required.status)
        case .workout(let session): ([.session(session)], required.status)
        }
    }

    /// Returns the one of that name or identifier; without one the only one that there is.
    static func choose(_ name: String?, among runnables: [Runnable], in place: String) throws(CommandFailure)
        -> Runnable
    {
        if let name {
            let select = Selection(kind: "session or preset", records: runnables, id: \.id, name: \.name, place: place)
            return try select(name)
        }
        guard let only = runnables.first else {
            throw CommandFailure(.noInput, Messages.nothingRunnable(place))
        }
        guard runnables.count == 1 else {
            let names = runnables.prefix(10).map { "\"\($0.name)\"" }.joined(separator: ", ")
            let more = runnables.count > 10 ? ", …" : ""
            throw CommandFailure(.usage, Messages.severalRunnable(place, runnables.count, "\(names)\(more)"))
        }
        return only
    }
}
