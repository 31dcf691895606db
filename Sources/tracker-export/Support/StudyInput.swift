internal import CommandSupport
internal import FormatKit
internal import Interchange
internal import StrictJSON
internal import StudyTimer

/// A log of Study Timer: one file, or one for each of the two tables.
struct StudyInput {
    /// The report and the version of each file.
    private(set) var files: [(report: FileReport, version: Int?)] = []
    /// The log, where all files can be used.
    private(set) var log: StudyLog?

    /// Tells whether a file is one of these; the source is at its beginning again then.
    static func isStudy(_ input: InputSource) throws -> Bool {
        switch try LogFormat.detect(input.source) {
        case .text(.study): return true
        case .json:
            let isStudy = StudyFormat.read(try LogText(input).bytes).identity == .study
            try input.source.rewind()
            return isStudy
        default: return false
        }
    }

    /// Reads a log in JSON.
    init(json input: LogText, strict: Bool = false, repair: Bool = false) {
        let reading = StudyFormat.read(input.bytes, name: input.name, strict: strict, repair: repair)
        files = [(FileReport(reading, file: input.name), reading.version)]
        log = reading.content
    }

    /// Reads one of the tables.
    init(table input: InputSource, strict: Bool = false, repair: Bool = false) throws {
        let (reading, report) = try Self.read(table: input, strict: strict, repair: repair)
        files = [(report, reading.version)]
        log = report.isUsable ? reading.content : nil
    }

    /// Gives the findings their places in what the files were made of.
    mutating func place(_ placed: (Diagnostic) -> Diagnostic) {
        for index in files.indices { files[index].report.diagnostics = files[index].report.diagnostics.map(placed) }
    }

    /// Reads the files of the tables together.
    init(_ inputs: [InputSource], strict: Bool = false, repair: Bool = false) throws {
        var whole = StudyLog()
        for input in inputs {
            let isJSON = try LogFormat.detect(input.source) == .json
            let part =
                try isJSON
                ? StudyInput(json: LogText(input), strict: strict)
                : StudyInput(table: input, strict: strict)
            files += part.files
            guard let log = part.log else { continue }
            whole.sessions += log.sessions
            whole.events += log.events
            for member in log.unknownMembers where member.name != "x-preserved" {
                whole.unknownMembers[member.name] = member.value
            }
        }
        if files.allSatisfy(\.report.isUsable) { check(whole, repair) }
    }

    /// Checks the tables together; what was said of each alone, such as that an event's session is not there, no longer
    /// counts.
    private mutating func check(_ whole: StudyLog, _ repair: Bool) {
        let reading = StudyFormat.check(whole, repair: repair)
        for index in files.indices {
            let kept = files[index].report.diagnostics.filter { !$0.code.hasPrefix("study.") }
            files[index].report = FileReport(file: files[index].report.file, diagnostics: kept, total: kept.count)
        }
        let names = files.map(\.report.file).joined(separator: ", ")
        let findings = reading.diagnostics.map { finding in
            var finding = finding
            // The place is one in a document that nobody has.
            finding.position = nil
            finding.file = names
            return finding
        }
        var report = FileReport(file: names, diagnostics: findings, total: reading.findingCount)
        if !reading.isValid { report.status = .badData }
        files.append((report, StudyFormat.currentVersion))
        log = reading.content
    }

    private static func read(
        table input: InputSource,
        strict: Bool,
        repair: Bool
    ) throws -> (reading: ParseResult<StudyLog>, report: FileReport) {
        var rows: [JSONValue] = []
        var places: [TextPosition] = []
        let (table, summary) = try StudyTable.read(input.source) { row, place in
            rows.append(.object(row))
            places.append(place)
        }
        // A document of version 1 has both tables.
        var document = JSONObject()
        for known in StudyTable.allCases { document[known.rawValue] = .array(known == table ? rows : []) }
        let bytes = JSONValue.object(document).encoded(.compact)
        let reading = StudyFormat.read(bytes, name: input.name, strict: strict, repair: repair)
        var findings = reading.diagnostics.map { finding in
            var finding = finding
            let row = finding.pointer?.tokens.dropFirst().first.flatMap { Int($0) }
            finding.position = row.flatMap { places.indices.contains($0) ? places[$0] : nil }
            return finding
        }
        findings += summary.findings.diagnostics.map { finding in
            var finding = finding
            finding.file = input.name
            return finding
        }
        var report = FileReport(
            file: input.name,
            diagnostics: findings,
            total: reading.findingCount + summary.findings.total
        )
        if !reading.isValid || summary.refused > 0 { report.status = .badData }
        return (reading, report)
    }
}
