internal import AppFormats
internal import CommandSupport
internal import StrictJSON

/// A file that is converted into one of the other app.
struct ConversionSource {
    /// What was read.
    let file: TimerInput.Required

    /// Whether presets become sessions.
    var isPresets: Bool { if case .presets = file.content { true } else { false } }

    /// The bytes of the other app's file, and what is lost with its place in this one.
    ///
    /// - Parameters:
    ///   - names: What is converted, by name or identifier; all where there are none.
    ///   - generator: The program and its version.
    ///   - moment: Now.
    /// - Throws: 65 where a session is no preset, 64 or 66 where a name is none of the file.
    func converted(
        only names: [String],
        generator: String,
        at moment: Timestamp
    ) throws -> Conversion<[UInt8]> {
        switch file.content {
        case .presets(let reading, let file):
            let chosen = try chosen(file.presets, names, Selection(file.presets))
            var losses = members(of: file.extra)
            let sessions = chosen.map { index, preset in
                let conversion = SessionTemplate.converting(preset)
                losses += placed(conversion.losses, "preset \"\(preset.name)\"", "presets", index)
                return conversion.result
            }
            let result = BztimerFile(exporting: sessions, generator: generator, exportedAt: moment)
            return Conversion(try BztimerWriter.encode(result).bytes, losses: losses.map { origin($0, reading.origin) })
        case .sessions(let reading, let file):
            let chosen = try chosen(file.sessions, names, Selection(file.sessions))
            var losses = members(of: file.extra)
            losses += (file.activities ?? []).enumerated().map { index, activity in
                MigrationLoss(
                    "the activity \"\(activity.label)\" is left out",
                    at: JSONPointer(tokens: ["activities", String(index)])
                )
            }
            let presets = try chosen.map { index, session in
                let conversion = try convert(session, at: index, reading)
                losses += placed(conversion.losses, "session \"\(session.name)\"", "sessions", index)
                return conversion.result
            }
            let bytes = try PresetWriter.encode(PresetFile(presets: presets)).bytes
            return Conversion(bytes, losses: losses.map { origin($0, reading.origin) })
        }
    }

    private func chosen<Record: Hashable>(
        _ records: [Record],
        _ names: [String],
        _ select: Selection<Record>
    ) throws(CommandFailure) -> [(index: Int, record: Record)] {
        var select = select
        select.place = "the file"
        var wanted: Set<Record> = []
        for name in names { wanted.insert(try select(name)) }
        return records.enumerated().filter { names.isEmpty || wanted.contains($0.element) }
            .map { (index: $0.offset, record: $0.element) }
    }

    private func convert(
        _ session: SessionTemplate,
        at index: Int,
        _ reading: BztimerReading
    ) throws(CommandFailure) -> Conversion<Preset> {
        do throws(AppFormatError) {
            return try Preset.converting(session)
        } catch {
            let place = JSONPointer(tokens: ["sessions", String(index)] + (error.pointer?.tokens ?? []))
            let pointer = reading.origin(place)
            let fault = AppFormatError(error.code, error.message, at: pointer)
            let position = reading.position(of: pointer)
            throw CommandFailure(.badData, diagnostics: [fault.diagnostic(file: file.name, position: position)])
        }
    }

    private func members(of extra: JSONObject) -> [MigrationLoss] {
        extra.map { member in
            MigrationLoss("the member \"\(member.name)\" is left out", at: JSONPointer(tokens: [member.name]))
        }
    }

    /// Losses of a record as those of the file.
    private func placed(_ losses: [MigrationLoss], _ owner: String, _ list: String, _ index: Int) -> [MigrationLoss] {
        losses.map { loss in
            MigrationLoss(
                "\(owner): \(loss.text)",
                at: JSONPointer(tokens: [list, String(index)] + loss.pointer.tokens)
            )
        }
    }

    private func origin(_ loss: MigrationLoss, _ origin: (JSONPointer) -> JSONPointer) -> MigrationLoss {
        MigrationLoss(loss.text, at: origin(loss.pointer))
    }
}
