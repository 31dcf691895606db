internal import CivilTime
internal import FormatKit
internal import StrictJSON
internal import TimeTracker
internal import XMLIO

/// Takes the records of an export of Apple Health.
final class AppleHealthHandler: XMLHandler {
    private static let sleepType: StaticString = "HKCategoryTypeIdentifierSleepAnalysis"
    private static let sleepValue = "HKCategoryValueSleepAnalysis"
    private static let workoutType = "HKWorkoutActivityType"

    private var summary: EntrySummary
    private let options: AppleHealth.Options
    private let sink: (TimeEntry) throws -> Void
    private let root, record, workout, type, value, start, end, kind, source, duration, unit: XMLName
    private var depth = 0
    private var asleep: SleepLog
    private var inBed: SleepLog
    private var sleepRecords = 0
    private var workouts = 0
    private var kinds: [String: Int] = [:]
    /// The workouts, to find those that several sources recorded.
    private var recorded = WorkoutLog()
    /// The workouts that are shorter than from start to end, and by how many seconds.
    private var pauses = (workouts: 0, seconds: 0)
    private var unknownValues: [String: Int] = [:]

    /// The most names that are counted one by one.
    private static let mostNames = 200

    init(
        _ reader: XMLReader,
        _ name: String,
        _ options: AppleHealth.Options,
        _ sink: @escaping (TimeEntry) throws -> Void
    ) throws {
        summary = EntrySummary(source: name)
        self.options = options
        self.sink = sink
        root = try reader.name("HealthData")
        record = try reader.name("Record")
        workout = try reader.name("Workout")
        type = try reader.name("type")
        value = try reader.name("value")
        start = try reader.name("startDate")
        end = try reader.name("endDate")
        kind = try reader.name("workoutActivityType")
        source = try reader.name("sourceName")
        duration = try reader.name("duration")
        unit = try reader.name("durationUnit")
        asleep = SleepLog(gap: options.sleepGap)
        inBed = SleepLog(gap: options.sleepGap)
    }

    func start(_ element: borrowing XMLElementStart) throws {
        depth += 1
        // What lies in other records, the parts of a correlation for example, stands on this level as well.
        guard depth == 2 else {
            if depth == 1, element.name != root {
                let message = "the root element is <\(element.name)>; expected <HealthData>, as Apple Health exports it"
                throw InterchangeError(.otherXML, message, at: element.position)
            }
            return
        }
        if element.name == record {
            guard let type = element.value(type), type.isEqual(to: Self.sleepType) else {
                return summary.passedOver += 1
            }
            takeSleep(element)
        } else if element.name == workout {
            try takeWorkout(element)
        } else {
            summary.passedOver += 1
        }
    }

    func end(_ name: XMLName) { depth -= 1 }

    private func takeWorkout(_ element: borrowing XMLElementStart) throws {
        workouts += 1
        guard let (start, end) = times(of: element, "Workout") else { return }
        var name = element.string(kind) ?? ""
        if name.hasPrefix(Self.workoutType) { name.removeFirst(Self.workoutType.count) }
        name = Self.words(name)
        if kinds[name] != nil || kinds.count < Self.mostNames { kinds[name, default: 0] += 1 }
        let seconds = end.moment.seconds - start.moment.seconds
        recorded.add(element.string(source) ?? "", start.moment.seconds..<end.moment.seconds, number: workouts)
        if let active = activeSeconds(of: element), seconds - active >= 60 {
            pauses = (pauses.workouts + 1, pauses.seconds + seconds - active)
        }
        let isNamed = options.naming == .kind && !name.isEmpty
        summary.entries += 1
        try sink(
            TimeEntry(
                name: isNamed ? name : "Exercise",
                start: start,
                end: end,
                place: EntryPlace(record: workouts, kind: "Workout", line: element.position.line)
            )
        )
    }

    /// Returns the seconds of a workout without its pauses; nil where it does not say them.
    private func activeSeconds(of element: borrowing XMLElementStart) -> Int? {
        let units = ["s": 1.0, "sec": 1, "min": 60, "hr": 3600, "h": 3600]
        guard let number = element.string(duration).flatMap({ Double($0) }), number > 0,
            let factor = units[element.string(unit) ?? "min"]
        else { return nil }
        return Int(exactly: (number * factor).rounded())
    }

    private func takeSleep(_ element: borrowing XMLElementStart) {
        let text = element.string(value) ?? ""
        let stage = text.hasPrefix(Self.sleepValue) ? String(text.dropFirst(Self.sleepValue.count)) : text
        let isAsleep = stage.hasPrefix("Asleep")
        guard isAsleep || stage == "InBed" else {
            sleepRecords += 1
            summary.passedOver += 1
            guard stage != "Awake", unknownValues[text] != nil || unknownValues.count < Self.mostNames else { return }
            unknownValues[text, default: 0] += 1
            return
        }
        guard let (start, end) = times(of: element, "sleep record") else { return }
        sleepRecords += 1
        let stretch = SleepLog.Stretch(start: start, end: end, line: element.position.line)
        if isAsleep { asleep.add(stretch) } else { inBed.add(stretch) }
    }

    /// Returns the times of a record, and reports their faults as findings.
    private func times(
        of element: borrowing XMLElementStart,
        _ what: String
    ) -> (start: ZonedTimestamp, end: ZonedTimestamp)? {
        func fault(_ message: String) {
            summary.refuse(InterchangeError(.healthRecord, "this \(what) \(message)", at: element.position))
        }
        var times: [ZonedTimestamp] = []
        for name in [start, end] {
            guard let bytes = element.value(name) else {
                fault("has no \(name)")
                return nil
            }
            guard let time = HealthTime.read(bytes) else {
                let shown = quoted(String(decoding: bytes.prefix(80), as: UTF8.self))
                fault("has \(shown) as \(name); expected a time such as 2026-03-01 07:30:00 +0100")
                return nil
            }
            times.append(time)
        }
        guard times[1].moment >= times[0].moment else {
            fault("ends before it begins")
            return nil
        }
        return (times[0], times[1])
    }

    /// Returns a name such as `TraditionalStrengthTraining` as words.
    private static func words(_ name: String) -> String {
        var words = ""
        for character in name.prefix(100) {
            if character.isUppercase, let last = words.last, last.isLowercase { words += " " }
            words.append(character)
        }
        return words
    }
}

extension AppleHealthHandler {
    /// Hands on the sleep and gives the summary.
    func finish(replaced: Int, first: TextPosition?) throws -> EntrySummary {
        let sleeps = asleep.merged()
        let beds = inBed.merged()
        let alone = options.takesTimeInBed ? SleepLog.apart(beds, from: sleeps) : []
        let all = (sleeps + alone).filter { $0.end.moment > $0.start.moment }
            .sorted { $0.start.moment < $1.start.moment }
        for (index, sleep) in all.enumerated() {
            summary.entries += 1
            let place = EntryPlace(record: index + 1, kind: "sleep", line: sleep.line)
            var entry = TimeEntry(name: "Sleep", start: sleep.start, end: sleep.end, place: place)
            entry.isJoined = true
            try sink(entry)
        }
        note(sleeps: all.count, inBed: alone.count)
        if replaced > 0 {
            let message = "\(counted(replaced, "control character")) became spaces, as XML cannot hold them"
            summary.findings.add(.note, .controlCharacters, message, at: first)
        }
        return summary
    }

    private func note(sleeps: Int, inBed: Int) {
        if sleepRecords > 0 {
            let bed = inBed == 0 ? "" : ", \(inBed) of them from time in bed alone"
            let message = "\(counted(sleepRecords, "sleep record")) became \(counted(sleeps, "sleep"))\(bed)"
            summary.findings.add(.note, .healthSleep, message, at: nil)
        }
        for (text, count) in unknownValues.sorted(by: { $0.key < $1.key }) {
            let message =
                "\(counted(count, "sleep record")) with the value \(quoted(text)), which is not known, passed over"
            summary.findings.add(.warning, .healthSleep, message, at: nil)
        }
        if pauses.workouts > 0 {
            let message =
                "the pauses of \(counted(pauses.workouts, "workout")) are not taken over "
                + "(\(clockText(pauses.seconds))); each lasts from its start to its end"
            summary.findings.add(.note, .notCarried, message, at: nil)
        }
        if let (count, example) = recorded.overlaps() {
            let message =
                "\(counted(count, "workout")) at the time of one of another source, such as \(example): if it is the same "
                + "one, delete one of the entries, as both count"
            summary.findings.add(.note, .healthWorkout, message, at: nil)
        }
        guard options.naming == .exercise, !kinds.isEmpty else { return }
        let named = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(10)
        let list = named.map { "\($0.key.isEmpty ? "none" : $0.key) \($0.value)" }.joined(separator: ", ")
        let message =
            "the kinds of \(counted(workouts, "workout")) are not taken over (\(list)); each is called Exercise"
        summary.findings.add(.note, .notCarried, message, at: nil)
    }
}

/// Times as Apple Health writes them: `2016-11-14 07:25:41 -0700`.
enum HealthTime {
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> ZonedTimestamp? {
        guard bytes.count == 25, bytes[10] == 0x20, bytes[19] == 0x20 else {
            return ZonedTimestamp(utf8: bytes)
        }
        // The same as RFC 3339 has it: T for the first space, none for the second, and a colon in the offset.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 25) { text in
            for index in 0..<19 { text[index] = bytes[index] }
            text[10] = UInt8(ascii: "T")
            for index in 20..<23 { text[index - 1] = bytes[index] }
            text[22] = UInt8(ascii: ":")
            (text[23], text[24]) = (bytes[23], bytes[24])
            return ZonedTimestamp(utf8: UnsafeBufferPointer(text))
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Tells whether the bytes are those of a text.
    fileprivate func isEqual(to text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count))
    }
}
