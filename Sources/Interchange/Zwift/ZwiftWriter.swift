public import BZTimer
internal import StrictJSON
internal import XMLIO

/// Writes sessions as Zwift workouts.
public enum ZwiftWriter {
    /// Returns the bytes of a workout that does what a session does.
    ///
    /// It has a `SteadyState` for each block, with its label and its notes as the texts that Zwift shows.
    ///
    /// - Returns: The bytes, the same for the same session, and what is lost with its place in the session; of the same
    ///   loss in several blocks the first one.
    /// - Throws: An `AppFormatError` with its place in the session where it is none that a workout can be: `zwo.empty`,
    ///   `zwo.length`, `zwo.size`.
    public static func encode(_ session: SessionTemplate) throws -> Conversion<[UInt8]> {
        try ZwiftLimits.check(session)
        var output: [UInt8] = []
        var losses = ZwiftLosses()
        var writer = XMLWriter { output += $0 }
        try writer.start(ZwiftWorkout.rootName)
        try writer.element("author", text: ZwiftWorkout.author)
        let name = losses.writable(session.name, "the name", JSONPointer(tokens: ["name"]))
        let isTrimmed = name.trimmed.unicodeScalars.elementsEqual(name.unicodeScalars)
        try writer.element("name", isTrimmed ? [] : [ZwiftWorkout.space], text: name)
        try writer.element("description")
        try writer.element("sportType", text: ZwiftWorkout.sport)
        try writer.start("tags")
        for tag in session.tags ?? [] {
            try writer.element("tag", [("name", losses.writable(tag, "a tag", JSONPointer(tokens: ["tags"])))])
        }
        try writer.end()
        try writer.start("workout")
        for (index, block) in session.items.enumerated() {
            try write(block, at: JSONPointer(tokens: ["items", String(index)]), &writer, &losses)
        }
        try writer.end()
        try writer.end()
        try writer.finish()
        guard output.count <= ZwiftWorkout.largest.bytes else { throw ZwiftLimits.tooLarge(output.count) }
        losses.add(session)
        return Conversion(output, losses: losses.found)
    }

    private static func write(
        _ block: BlockInstance,
        at place: JSONPointer,
        _ writer: inout XMLWriter,
        _ losses: inout ZwiftLosses
    ) throws {
        let seconds = block.timing.totalSeconds ?? 0
        try writer.start(
            "SteadyState",
            [("Duration", String(seconds)), ("Power", String(ZwiftWorkout.power(block.kind)))]
        )
        let label = losses.writable(block.label, "the label", place.appending("label"))
        try writer.element("textevent", [("timeoffset", "0"), ("message", label)])
        if let notes = block.notes {
            let text = losses.writable(notes, "the notes", place.appending("notes"))
            let moment = String(ZwiftWorkout.noteMoment(seconds))
            try writer.element("textevent", [("timeoffset", moment), ("message", text)])
        }
        try writer.end()
        losses.add(block, at: place)
    }
}
