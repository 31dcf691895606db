internal import FormatKit
internal import RecordStore
internal import StudyTimer
internal import CommandSupport
internal import Interchange
internal import StrictJSON
internal import TimeTracker

extension TrackerTool.Import {
    func run(_ files: [String]) throws -> (TrackerImportResult, FileReport) {
        guard let file = files.first, files.count == 1 else {
            guard !files.isEmpty, !files.contains("-") else { throw CommandFailure(.usage, Messages.tablesAlone) }
            // Each is opened once, as a pipe cannot be read twice.
            let inputs = try files.map { file in
                let input = try InputSource(log: file)
                guard try StudyInput.isStudy(input) else { throw CommandFailure(.usage, Messages.tablesAlone) }
                return input
            }
            return try importStudy(try StudyInput(inputs, repair: repair))
        }
        if fromStorage != nil || PhoneStorage.isOne(file) { return try importStorage(file) }
        let input = try InputSource(log: file)
        switch try LogFormat.detect(input.source) {
        case .json: return try importJSON(try LogText(input))
        case .text(.study): return try importStudy(try StudyInput(table: input, repair: repair))
        case .text where try LogFormat.known(input.source) != nil && store.kind() == .study:
            throw CommandFailure(.badData, Messages.noSessions(in: input.name))
        case .text(let format):
            return try importItems(LogFile(input, format: format, options: entries, repair: repair))
        }
    }

    /// Imports a phone's data: a Room database or React Native's, an iPhone's folder, or Study Timer's own database.
    private func importStorage(_ path: String) throws -> (TrackerImportResult, FileReport) {
        let phone = try PhoneStorage(reading: path, app: store.app, repair: repair)
        StandardError.write(phone.report.text)
        let (result, report) = try importLog(of: phone)
        return (result, FileReport([phone.report, report]))
    }

    private func importLog(of phone: PhoneStorage) throws -> (TrackerImportResult, FileReport) {
        guard phone.app == .study else { return try importJSON(phone.text, placed: phone.placed) }
        var input = StudyInput(json: phone.text, repair: repair)
        input.place(phone.placed)
        return try importStudy(input)
    }

    private func importStudy(_ input: StudyInput) throws -> (TrackerImportResult, FileReport) {
        let whole = FileReport(input.files.map(\.report))
        guard let log = input.log else { throw Refused(report: whole) }
        StandardError.write(whole.text)
        let progress = ProgressLine()
        let options = options(progress, total: log.sessions.count + log.events.count)
        let result = try store.importingStudy(isDryRun: dryRun).importing(log, options: options)
        progress.end()
        return (result, whole)
    }

    /// Takes an import back, as the file cannot be used.
    struct Refused: Error {
        let report: FileReport
        var version: Int?
    }

    /// - Parameter placed: Returns a finding with its place in what the text was made of.
    private func importJSON(
        _ input: LogText,
        placed: (Diagnostic) -> Diagnostic = { $0 }
    ) throws -> (TrackerImportResult, FileReport) {
        let progress = ProgressLine()
        progress.show("Checking the file")
        let reading = TrackerFormat.read(input.bytes, name: input.name, repair: repair)
        progress.end()
        if reading.identity == .study { return try importStudy(StudyInput(json: input, repair: repair)) }
        var report = FileReport(reading, file: input.name)
        report.diagnostics = report.diagnostics.map(placed)
        guard let content = reading.content else { throw Refused(report: report, version: reading.version) }
        StandardError.write(report.text)
        let result = try opened(total: content.count) { store, options in
            try store.importing(content, origin: reading.origin, options: options)
        }
        return (result, report)
    }

    private func importItems(_ log: LogFile) throws -> (TrackerImportResult, FileReport) {
        var report = FileReport(file: log.name, diagnostics: [], total: 0)
        let result = try opened { store, options in
            try store.importing(itemsOf: log.format.rawValue, options: options) { take in
                report = log.report(try log.read(take))
                guard report.isUsable else { throw Refused(report: report) }
                // Before the plan, which is shown when all of the file was read.
                StandardError.write(report.text)
            }
        }
        return (result, report)
    }

    /// Opens the store for what is to be done, and runs an import with the options that were given.
    private func opened(
        total: Int? = nil,
        _ body: (TrackerStore, TrackerImportOptions) throws -> TrackerImportResult
    ) throws -> TrackerImportResult {
        let progress = ProgressLine()
        defer { progress.end() }
        let options = options(progress, total: total)
        guard dryRun else { return try body(store.store.writing(mustExist: false), options) }
        let path = try store.path(of: .tracker)
        return try body(store.store.readingIfPresent() ?? TrackerStore(path: path, for: .nothing), options)
    }

    private func options(_ progress: ProgressLine, total: Int?) -> TrackerImportOptions {
        let report = report(fromStorage ?? files.joined(separator: ", "))
        var options = TrackerImportOptions(
            update: update,
            isDryRun: dryRun,
            progress: { progress.show("Reading, records:", done: $0, of: total) },
            confirm: { plan in
                progress.end()
                report.show(plan)
                try report.printer.require("Import this?")
                return true
            }
        )
        options.deletion += StoreArgument.repeated
        return options
    }

    func report(_ name: String) -> ImportReport {
        ImportReport(
            file: name,
            printer: PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun),
            isDryRun: dryRun,
            isVerbose: Printing.current.isVerbose
        )
    }
}
