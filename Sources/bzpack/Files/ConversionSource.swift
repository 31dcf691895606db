internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import Interchange
internal import StrictJSON

/// A file that is converted into one of the other app.
struct ConversionSource {
    /// The content of the file.
    let file: TimerInput.Required

    /// The format that the file is converted to by default.
    var usualTarget: ConversionTarget { if case .sessions = file.content { .presets } else { .sessions } }

    /// Returns the bytes of the other app's file, and the losses with their places in this one.
    ///
    /// - Parameters:
    ///   - target: What it becomes.
    ///   - names: What is converted, by name or identifier; all where there are none.
    ///   - generator: The program and its version.
    ///   - moment: Now.
    /// - Throws: 65 where a session is no preset or no workout, 64 or 66 where a name is none of the file, 64 where the file does not
    ///   become that.
    func converted(
        to target: ConversionTarget,
        only names: [String],
        generator: String,
        at moment: Timestamp
    ) throws -> Conversion<[UInt8]> {
        switch (file.content, target) {
        case (.presets(let reading, let file), .sessions):
            let chosen = try chosen(file.presets, names, Selection(file.presets))
            var losses = members(of: file.extra)
            let sessions = chosen.map { index, preset in
                let conversion = SessionTemplate.converting(preset)
                losses += placed(conversion.losses, "preset \"\(preset.name)\"", "presets", index)
                return conversion.result
            }
            let result = BztimerFile(exporting: sessions, generator: generator, exportedAt: moment)
            return Conversion(try Self.bytes(result), losses: losses.map { origin($0, reading.origin) })
        case (.workout(let session), .sessions):
            let sessions = try chosen([session], names, Selection([session])).map(\.record)
            let result = BztimerFile(exporting: sessions, generator: generator, exportedAt: moment)
            return Conversion(try Self.bytes(result))
        case (.sessions(let reading, let file), .zwo):
            let (index, session) = try single(chosen(file.sessions, names, Selection(file.sessions)))
            let conversion = try placing(index, reading) { try Self.workout(session) }
            let losses = members(of: file) + placed(conversion.losses, "session \"\(session.name)\"", "sessions", index)
            return Conversion(conversion.result, losses: losses.map { origin($0, reading.origin) })
        case (.sessions(let reading, let file), .presets):
            let chosen = try chosen(file.sessions, names, Selection(file.sessions))
            var losses = members(of: file)
            let presets = try chosen.map { index, session in
                let conversion = try placing(index, reading) { try Preset.converting(session) }
                losses += placed(conversion.losses, "session \"\(session.name)\"", "sessions", index)
                return conversion.result
            }
            let bytes = try PresetFile(presets: presets).encoded().bytes
            return Conversion(bytes, losses: losses.map { origin($0, reading.origin) })
        case (.sessions, .sessions): throw CommandFailure(.usage, Messages.holdsSessions(self.file.name))
        default: throw CommandFailure(.usage, Messages.becomesSessions(self.file.name, target.rawValue))
        }
    }
}
