internal import AppFormats
internal import StrictJSON
internal import XMLIO

/// Reads Zwift workouts.
enum ZwiftReader {
    /// The session that does what a workout does.
    ///
    /// Identifiers follow from the content: the same workout gives the same session.
    ///
    /// - Parameters:
    ///   - root: The root element, `workout_file`.
    ///   - name: The file as the person named it, for the diagnostics.
    static func read(_ root: XMLElement, name: String?) -> ZwiftReading {
        var reader = Reader(name: name)
        reader.read(root)
        return reader.finished()
    }
}

private struct Reader {
    private var reading = ZwiftReading()
    private let name: String?
    private var session = SessionTemplate(id: "", name: "", items: [])
    private var hasErrors = false
    /// What was said once of an attribute; it is said at its first place.
    private var said: Set<String> = []

    init(name: String?) { self.name = name }

    // MARK: Parts of the file

    mutating func read(_ root: XMLElement) {
        for attribute in root.attributes { leaveOut(attribute, of: root) }
        for element in root.children {
            let text = element.text.trimmed
            switch element.name.lowercased() {
            case "name": session.name = text
            case "tags": readTags(element)
            case "workout": readWorkout(element)
            case "author" where text == ZwiftWorkout.author, "sporttype" where text == ZwiftWorkout.sport,
                "description" where text.isEmpty:
                break
            case "durationtype" where text == "distance":
                fail("zwo.distance", "the lengths are distances; a session has times", element)
            case "durationtype" where text == "time": break
            default: leaveOut(element)
            }
        }
        if session.name.isEmpty {
            session.name = "Workout"
            add(.warning, "zwo.name", "the workout has no name; the session is called \"Workout\"", root)
        }
        if session.items.isEmpty, !hasErrors { fail("zwo.empty", "the workout has no blocks", root) }
    }

    private mutating func readTags(_ element: XMLElement) {
        for tag in element.children {
            if tag.isNamed("tag"), let name = tag.value("name") {
                session.tags = (session.tags ?? []) + [name]
            } else {
                leaveOut(tag)
            }
        }
    }

    private mutating func readWorkout(_ workout: XMLElement) {
        for attribute in workout.attributes { leaveOut(attribute, of: workout) }
        for element in workout.children {
            guard session.items.count < ZwiftReading.blockLimit else {
                return fail("zwo.size", "more than \(ZwiftReading.blockLimit) blocks, which is the limit", element)
            }
            switch element.name.lowercased() {
            case "steadystate": readSteady(element)
            case "warmup": readSingle(element, "Warm-up")
            case "cooldown": readSingle(element, "Cool-down")
            case "ramp": readSingle(element, "Ramp")
            case "freeride": readSingle(element, "Free ride")
            case "maxeffort": readSingle(element, "Max effort")
            case "intervalst": readIntervals(element)
            default: leaveOut(element)
            }
        }
    }

    // MARK: Blocks

    private mutating func readSteady(_ element: XMLElement) {
        let power = (element.value("power") ?? element.value("powerhigh")).flatMap(Double.init)
        let kind = ZwiftWorkout.kind(power: power)
        let label = [BlockKind.activity: "Steady", .rest: "Rest", .transition: "Transition"][kind] ?? ""
        readSingle(element, label, kind, isOurs: power == ZwiftWorkout.power(kind))
    }

    private mutating func readSingle(
        _ element: XMLElement,
        _ label: String,
        _ kind: BlockKind = .activity,
        isOurs: Bool = false
    ) {
        for attribute in element.attributes {
            let name = attribute.name.lowercased()
            if name != "duration", !(name == "power" && isOurs) { leaveOut(attribute, of: element) }
        }
        let texts = texts(of: element)
        guard let seconds = seconds(element, "Duration") else { return }
        guard seconds > 0 else {
            return add(.warning, "conversion.loss", "<\(element.name)> has no length and is left out", element)
        }
        append(texts.label ?? label, kind, seconds, notes: texts.notes)
    }

    private mutating func readIntervals(_ element: XMLElement) {
        for attribute in element.attributes
        where !["repeat", "onduration", "offduration"].contains(attribute.name.lowercased()) {
            leaveOut(attribute, of: element)
        }
        let texts = texts(of: element)
        guard let on = seconds(element, "OnDuration"), let off = seconds(element, "OffDuration") else { return }
        guard let count = Int((element.value("repeat") ?? "1").trimmed), count > 0 else {
            return fail("zwo.length", "\"Repeat\" is no positive integer", element)
        }
        guard count <= (ZwiftReading.blockLimit - session.items.count) / 2 else {
            return fail("zwo.size", "more than \(ZwiftReading.blockLimit) blocks, which is the limit", element)
        }
        let offPower = element.value("offpower").flatMap(Double.init)
        let easy: BlockKind = (offPower ?? 0) < 0.6 ? .rest : .activity
        for round in 0..<count {
            if on > 0 { append(texts.label ?? "Interval", .activity, on, notes: round == 0 ? texts.notes : nil) }
            if off > 0 { append("Recovery", easy, off) }
        }
        if on + off == 0 {
            add(.warning, "conversion.loss", "<\(element.name)> has no length and is left out", element)
        }
    }

    private mutating func append(_ label: String, _ kind: BlockKind, _ seconds: Int, notes: String? = nil) {
        session.items.append(
            BlockInstance(
                id: "",
                label: label,
                kind: kind,
                timing: .duration(seconds: seconds),
                category: kind == .activity ? ZwiftWorkout.category : nil,
                notes: notes
            )
        )
    }

    /// The text that is shown when the block begins, and all others.
    private mutating func texts(of element: XMLElement) -> (label: String?, notes: String?) {
        var label: String?
        var notes: [String] = []
        for child in element.children {
            let message = child.value(child.isNamed("textnotification") ? "text" : "message")
            guard child.isNamed("textevent") || child.isNamed("textnotification"), let message else {
                leaveOut(child)
                continue
            }
            for attribute in child.attributes
            where !["message", "text", "timeoffset"].contains(attribute.name.lowercased()) {
                leaveOut(attribute, of: child)
            }
            let isFirst = Double((child.value("timeoffset") ?? "0").trimmed) == 0 && child.value("distoffset") == nil
            if label == nil, isFirst, notes.isEmpty { label = message } else { notes.append(message) }
        }
        return (label, notes.isEmpty ? nil : notes.joined(separator: "\n"))
    }

    /// A length as a session can have it; nil where there is none, which was said then.
    private mutating func seconds(_ element: XMLElement, _ name: String) -> Int? {
        guard let text = element.value(name.lowercased())?.trimmed else {
            fail("zwo.length", "<\(element.name)> has no \"\(name)\"", element)
            return nil
        }
        let isNumber = text.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        let longest = BlockTiming.longestDuration
        guard isNumber, let number = Double(text), number <= Double(longest) else {
            let expected = "expected a number of seconds from 0 to \(longest)"
            fail("zwo.length", "\"\(name)\" of <\(element.name)> is \"\(text.prefix(40))\"; \(expected)", element)
            return nil
        }
        let seconds = Int(number.rounded())
        if Double(seconds) != number {
            add(.warning, "conversion.loss", "\(text.prefix(40)) s become \(seconds) s", element)
        }
        return seconds
    }

    // MARK: Findings

    private mutating func leaveOut(_ element: XMLElement) {
        add(.warning, "conversion.loss", "the element <\(element.name)> is left out", element)
    }

    private mutating func leaveOut(_ attribute: (name: String, value: String), of element: XMLElement) {
        guard said.insert("\(attribute.name) \(element.name)").inserted else { return }
        add(.warning, "conversion.loss", "\"\(attribute.name)\" of <\(element.name)> is left out", element)
    }

    private mutating func fail(_ code: String, _ message: String, _ element: XMLElement) {
        hasErrors = true
        add(.error, code, message, element)
    }

    private mutating func add(
        _ severity: Diagnostic.Severity,
        _ code: String,
        _ message: String,
        _ element: XMLElement
    ) {
        reading.findingCount += 1
        // An error is never the one that is not kept: without it nothing would say why there is no session.
        guard reading.diagnostics.count < ZwiftReading.findingLimit - (severity == .error ? 0 : 1) else { return }
        reading.diagnostics.append(
            Diagnostic(severity, code: code, message: message, file: name, position: element.position)
        )
    }

    func finished() -> ZwiftReading {
        var reading = reading
        guard !hasErrors else { return reading }
        var session = session
        session.id = "zwo-\(ContentDigest(of: session).description.prefix(32))"
        for index in session.items.indices { session.items[index].id = "\(session.id)-\(index + 1)" }
        reading.session = session
        return reading
    }
}
