public import AppFormats
internal import StrictJSON
internal import XMLIO

/// Writes sessions as Zwift workouts.
public enum ZwiftWriter {
    /// The bytes of a workout that does what a session does: a `SteadyState` for each block, its label and its notes as the
    /// texts that Zwift shows.
    ///
    /// - Returns: The bytes, the same for the same session, and what is lost with its place in the session; of the same
    ///   loss in several blocks the first one.
    /// - Throws: Nothing but what a mistake of this program would throw.
    public static func encode(_ session: SessionTemplate) throws -> Conversion<[UInt8]> {
        var output: [UInt8] = []
        var losses = ZwiftLosses()
        var writer = XMLWriter { output += $0 }
        try writer.start(ZwiftWorkout.rootName)
        try writer.element("author", text: ZwiftWorkout.author)
        try writer.element("name", text: losses.writable(session.name, "the name", JSONPointer(tokens: ["name"])))
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
            try writer.element("textevent", [("timeoffset", String(min(10, seconds / 2))), ("message", text)])
        }
        try writer.end()
        losses.add(block, at: place)
    }
}

/// What of a session a workout has no place for.
private struct ZwiftLosses {
    private(set) var found: [MigrationLoss] = []
    /// The texts that were said of some block; each is said once, at the first block.
    private var said: Set<String> = []

    private mutating func add(_ text: String, _ pointer: JSONPointer) {
        guard said.insert(text).inserted else { return }
        found.append(MigrationLoss(text, at: pointer))
    }

    /// A text without what XML cannot hold.
    mutating func writable(_ text: String, _ what: String, _ pointer: JSONPointer) -> String {
        guard XMLWriter.unwritable(in: text) != nil else { return text }
        add("control characters in \(what) become U+FFFD", pointer)
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            XMLWriter.unwritable(in: String(scalar)) == nil ? scalar : "\u{FFFD}"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    mutating func add(_ block: BlockInstance, at place: JSONPointer) {
        if case .reps(let count, let each) = block.timing, let seconds = block.timing.totalSeconds {
            add("\(count) repetitions of \(each) s become \(seconds) s", place.appending("reps"))
        }
        if let category = block.category, category != ZwiftWorkout.category {
            add("the category \"\(category)\" is left out", place.appending("category"))
        }
        if block.templateId != nil { add("references to saved activities are left out", place.appending("templateId")) }
        if let color = block.color { add("the color \"\(color)\" is left out", place.appending("color")) }
        if let icon = block.icon { add("the icon \"\(icon)\" is left out", place.appending("icon")) }
        for member in block.extra { add("the member \"\(member.name)\" is left out", place.appending(member.name)) }
    }

    mutating func add(_ session: SessionTemplate) {
        if session.scheduledDaysOfWeek?.isEmpty == false {
            add("the days of the week are left out", JSONPointer(tokens: ["scheduledDaysOfWeek"]))
        }
        for member in session.extra {
            add("the member \"\(member.name)\" is left out", JSONPointer(tokens: [member.name]))
        }
    }
}
