internal import BZTimer
internal import GymPulse
internal import StrictJSON
internal import XMLIO

/// Reads Zwift workouts.
enum ZwiftReader {
    /// Returns the session that does what a workout does.
    ///
    /// Identifiers follow from the content: the same workout gives the same session.
    ///
    /// - Parameters:
    ///   - root: The root element, `workout_file`.
    ///   - name: The file as the person named it, for the diagnostics.
    static func read(_ root: XMLElement, name: String?) -> ZwiftReading {
        var reader = Reader(name: name, namespace: root.namespace)
        reader.read(root)
        return reader.finished()
    }
}

private struct Reader {
    private var findings: ZwiftFindings
    /// The root's; an element of another one is none of Zwift's, whatever its name.
    private let namespace: String?
    private var session = SessionTemplate(id: "", name: "", items: [])
    private var hasWorkout = false

    init(name: String?, namespace: String?) {
        findings = ZwiftFindings(name: name)
        self.namespace = namespace
    }

    /// Returns the name of an element in lower case; empty where it is none of Zwift's.
    private func kind(_ element: XMLElement) -> String {
        element.namespace == namespace ? element.name.lowercased() : ""
    }

    // MARK: Parts of the file

    mutating func read(_ root: XMLElement) {
        findings.leaveOutRest(of: root, .elements)
        for element in root.children {
            let text = element.text.trimmed
            switch kind(element) {
            case "name": readName(element)
            case "tags": readTags(element)
            case "workout": readWorkout(element)
            case "author" where text == ZwiftWorkout.author, "sporttype" where text == ZwiftWorkout.sport,
                "description" where text.isEmpty, "durationtype" where text == "time":
                findings.leaveOutRest(of: element, .text)
            case "durationtype" where text == "distance":
                findings.fail("zwo.distance", "the lengths are distances; a session has times", element)
            default: findings.leaveOut(element)
            }
        }
        if session.name.isEmpty {
            session.name = "Workout"
            let message = "the workout has no name; the session is called \"Workout\""
            findings.warn(message, code: "zwo.name", root)
        }
        if session.items.isEmpty, !findings.hasErrors {
            findings.fail("zwo.empty", "the workout has no blocks", root)
        }
    }

    private mutating func readName(_ element: XMLElement) {
        findings.leaveOutRest(of: element, but: [ZwiftWorkout.space.name], .text)
        let isExact = element.value(ZwiftWorkout.space.name) == ZwiftWorkout.space.value
        let text = isExact ? element.text : element.text.trimmed
        if session.name.isEmpty {
            session.name = text
        } else if !text.isEmpty {
            findings.warn("another name, \"\(ZwiftFindings.excerpt(text))\", is left out", element)
        }
    }

    private mutating func readTags(_ element: XMLElement) {
        findings.leaveOutRest(of: element, .elements)
        var tags = session.tags.take() ?? []
        for tag in element.children {
            guard kind(tag) == "tag", let name = tag.value("name") else {
                findings.leaveOut(tag)
                continue
            }
            findings.leaveOutRest(of: tag, but: ["name"])
            if name.isEmpty {
                findings.warn("an empty tag is left out", tag)
            } else {
                tags.append(name)
            }
        }
        if !tags.isEmpty { session.tags = tags }
    }

    private mutating func readWorkout(_ workout: XMLElement) {
        findings.leaveOutRest(of: workout, .elements)
        if hasWorkout {
            findings.warn("another <\(workout.name)>: its blocks follow those of the one before", workout)
        }
        hasWorkout = true
        for element in workout.children {
            guard session.items.count < ZwiftReading.blockLimit else { return failSize(element) }
            switch kind(element) {
            case "steadystate": readSteady(element)
            case "warmup": readSingle(element, "Warm-up")
            case "cooldown": readSingle(element, "Cool-down")
            case "ramp": readSingle(element, "Ramp")
            case "freeride": readSingle(element, "Free ride")
            case "maxeffort": readSingle(element, "Max effort")
            case "intervalst": readIntervals(element)
            default: findings.leaveOut(element)
            }
        }
    }

    private mutating func failSize(_ element: XMLElement) {
        findings.fail("zwo.size", "more than \(ZwiftReading.blockLimit) blocks, which is the limit", element)
    }

    // MARK: Blocks

    private mutating func readSteady(_ element: XMLElement) {
        let power = power(element, element.value("power") == nil ? "PowerHigh" : "Power")
        let kind = ZwiftWorkout.kind(power: power)
        let label = [BlockKind.activity: "Steady", .rest: "Rest", .transition: "Transition"][kind] ?? ""
        // A power that is the kind's own is not lost; one that is no number was named.
        let isKept = power.map { $0 == ZwiftWorkout.power(kind) } ?? true
        readSingle(element, label, kind, known: isKept ? ["duration", "power"] : ["duration"])
    }

    private mutating func readSingle(
        _ element: XMLElement,
        _ label: String,
        _ kind: BlockKind = .activity,
        known: [String] = ["duration"]
    ) {
        findings.leaveOutRest(of: element, but: known, .elements)
        guard let seconds = seconds(element, "Duration") else { return }
        guard seconds > 0 else { return leaveOutShort(element) }
        let texts = texts(of: element, lasting: seconds)
        append(texts.label ?? label, kind, seconds, notes: texts.notes)
    }

    private mutating func readIntervals(_ element: XMLElement) {
        findings.leaveOutRest(of: element, but: ["repeat", "onduration", "offduration"], .elements)
        guard let on = seconds(element, "OnDuration"), let off = seconds(element, "OffDuration") else { return }
        guard let count = Int((element.value("repeat") ?? "1").trimmed), count > 0 else {
            return findings.fail("zwo.length", "\"Repeat\" is no positive integer", element)
        }
        guard count <= (ZwiftReading.blockLimit - session.items.count) / 2 else { return failSize(element) }
        guard on + off > 0 else { return leaveOutShort(element) }
        let easy: BlockKind = (power(element, "OffPower") ?? 0) < 0.6 ? .rest : .activity
        let texts = texts(of: element, lasting: on > 0 ? on : off)
        for round in 0..<count {
            let notes = round == 0 ? texts.notes : nil
            if on > 0 { append(texts.label ?? "Interval", .activity, on, notes: notes) }
            guard off > 0 else { continue }
            append((on > 0 ? nil : texts.label) ?? "Recovery", easy, off, notes: on > 0 ? nil : notes)
        }
    }

    private mutating func leaveOutShort(_ element: XMLElement) {
        findings.warn("<\(element.name)> has no length and is left out", element)
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

    // MARK: Texts and numbers

    /// Returns the text that is shown when the block begins, and all others.
    private mutating func texts(
        of element: XMLElement,
        lasting seconds: Int
    ) -> (label: String?, notes: String?) {
        var label: String?
        var notes: [String] = []
        for child in element.children {
            let member = ["textevent": "message", "textnotification": "text"][kind(child)]
            guard let member, let message = child.value(member) else {
                findings.leaveOut(child)
                continue
            }
            findings.leaveOutRest(of: child, but: [member, "timeoffset"])
            let written = child.value("timeoffset")?.trimmed
            let moment = ZwiftWorkout.number(written ?? "0")
            if label != nil || moment != 0 || child.value("distoffset") != nil || !notes.isEmpty {
                notes.append(message)
                if let written, moment != Double(ZwiftWorkout.noteMoment(seconds)) {
                    leaveOutMoment(written, isNumber: moment != nil, of: child)
                }
            } else if message.isEmpty {
                findings.warn("an empty text is left out", child)
            } else {
                label = message
            }
        }
        return (label, notes.isEmpty ? nil : notes.joined(separator: "\n"))
    }

    private mutating func leaveOutMoment(_ written: String, isNumber: Bool, of element: XMLElement) {
        if isNumber {
            findings.sayOnce("the moments of texts are left out; they become notes of their blocks", element)
        } else {
            let text = ZwiftFindings.excerpt(written)
            findings.warn("\"timeoffset\" of <\(element.name)> is \"\(text)\"; expected a number of seconds", element)
        }
    }

    /// Returns a power, which tells the kinds apart; nil where there is none, or none that is a number, which is
    /// reported.
    private mutating func power(_ element: XMLElement, _ name: String) -> Double? {
        guard let text = element.value(name.lowercased())?.trimmed else { return nil }
        let number = ZwiftWorkout.number(text)
        if number == nil {
            let found = "\"\(name)\" of <\(element.name)> is \"\(ZwiftFindings.excerpt(text))\""
            findings.warn("\(found); expected a number, and taken for none", code: "zwo.power", element)
        }
        return number
    }

    /// Returns a length as a session can have it; nil where there is none, which is reported.
    private mutating func seconds(_ element: XMLElement, _ name: String) -> Int? {
        guard let text = element.value(name.lowercased())?.trimmed else {
            findings.fail("zwo.length", "<\(element.name)> has no \"\(name)\"", element)
            return nil
        }
        let longest = BlockTiming.longestDuration
        let isPlain = text.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        guard isPlain, let number = Double(text), number <= Double(longest) else {
            let found = "\"\(name)\" of <\(element.name)> is \"\(ZwiftFindings.excerpt(text))\""
            findings.fail("zwo.length", "\(found); expected a number of seconds from 0 to \(longest)", element)
            return nil
        }
        let seconds = Int(number.rounded())
        if Double(seconds) != number {
            findings.warn("\(ZwiftFindings.excerpt(text)) s become \(seconds) s", element)
        }
        return seconds
    }

    func finished() -> ZwiftReading {
        var reading = ZwiftReading()
        reading.diagnostics = findings.diagnostics
        reading.findingCount = findings.count
        guard !findings.hasErrors else { return reading }
        var session = session
        session.id = "zwo-\(ContentDigest(of: session).description.prefix(32))"
        for index in session.items.indices { session.items[index].id = "\(session.id)-\(index + 1)" }
        reading.session = session
        return reading
    }
}
