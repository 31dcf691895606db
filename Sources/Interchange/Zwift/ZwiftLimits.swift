internal import BZTimer
internal import FormatKit
internal import StrictJSON

/// The limits within which a session becomes a workout that can be read again.
enum ZwiftLimits {
    /// - Throws: `zwo.empty`, `zwo.length` or `zwo.size` with the first place that breaks a limit.
    static func check(_ session: SessionTemplate) throws(AppFormatError) {
        guard !session.items.isEmpty else { throw error(.workoutEmpty, "it has no blocks", ["items"]) }
        guard session.items.count <= ZwiftReading.blockLimit else {
            let expected = "expected at most \(ZwiftReading.blockLimit)"
            let place = ["items", String(ZwiftReading.blockLimit)]
            throw error(.workoutSize, "it has \(session.items.count) blocks; \(expected)", place)
        }
        let tags = session.tags ?? []
        let mostTags = ZwiftWorkout.largest.elements - 3 * session.items.count - 10
        guard tags.count <= mostTags else {
            throw error(.workoutSize, "it has \(tags.count) tags; expected at most \(mostTags)", ["tags"])
        }
        try check(session.name, "its name", ["name"])
        for (index, tag) in tags.enumerated() { try check(tag, "a tag", ["tags", String(index)]) }
        for (index, block) in session.items.enumerated() { try check(block, at: index) }
    }

    /// Returns the error for a workout that is longer than one that is read.
    static func tooLarge(_ count: Int) -> AppFormatError {
        error(.workoutSize, "it takes \(count) bytes; expected at most \(ZwiftWorkout.largest.bytes)", ["items"])
    }

    private static func check(_ block: BlockInstance, at index: Int) throws(AppFormatError) {
        let place = ["items", String(index)]
        let longest = BlockTiming.longestDuration
        guard let seconds = block.timing.totalSeconds, seconds <= longest else {
            let length = block.timing.totalSeconds.map { "\($0) s" } ?? "longer than can be timed"
            let what = "block \(index + 1), \"\(ZwiftFindings.excerpt(block.label))\", takes \(length)"
            throw error(.workoutLength, "\(what); expected at most \(longest) s", place)
        }
        try check(block.label, "a label", place + ["label"])
        if let notes = block.notes { try check(notes, "the notes", place + ["notes"]) }
    }

    private static func check(_ text: String, _ what: String, _ place: [String]) throws(AppFormatError) {
        let limit = ZwiftWorkout.longestText
        // Six bytes is the longest that one becomes.
        guard text.utf8.count > limit / 6 else { return }
        let count = text.utf8.reduce(0) { $0 + length($1) }
        guard count > limit else { return }
        let found = what == "the notes" ? "\(what) take" : "\(what) takes"
        throw error(.workoutSize, "\(found) \(count) bytes in XML; expected at most \(limit)", place)
    }

    /// Returns the most bytes that one byte becomes in an attribute.
    private static func length(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""): 6
        case UInt8(ascii: "&"), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): 5
        case UInt8(ascii: "<"), UInt8(ascii: ">"): 4
        case ..<0x20: 3
        default: 1
        }
    }

    private static func error(_ code: AppFormatError.Code, _ what: String, _ place: [String]) -> AppFormatError {
        AppFormatError(code, "the session is no workout: \(what)", at: JSONPointer(tokens: place))
    }
}
