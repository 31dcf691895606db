internal import BZTimer
internal import FormatKit
internal import StrictJSON
internal import XMLIO

/// The parts of a session for which a workout has no place.
struct ZwiftLosses {
    private(set) var found: [MigrationLoss] = []
    /// The texts that were said of some block; each is said once, at the first block.
    private var said: Set<String> = []

    private mutating func add(_ text: String, _ pointer: JSONPointer) {
        guard said.insert(text).inserted else { return }
        found.append(MigrationLoss(text, at: pointer))
    }

    /// Returns a text without what XML cannot hold.
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
        if block.kind == .activity, block.category == nil {
            let text = "activities without a category become those of \(ZwiftWorkout.category)"
            add(text, place)
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
