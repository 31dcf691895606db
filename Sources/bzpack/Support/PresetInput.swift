internal import CommandSupport
internal import GymPulse
internal import Interchange
internal import StrictJSON

extension FileReport {
    /// A file of GymPulse presets.
    init(_ reading: PresetReading, file: String) {
        self.init(file: file, diagnostics: reading.diagnostics, total: reading.findingCount)
        if !reading.isValid { status = .badData }
    }
}

/// Reads files of GymPulse presets.
enum PresetInput {
    /// Reads a file; `-` is the standard input.
    static func read(
        _ path: String,
        strict: Bool = false,
        repair: Bool = false
    ) -> (report: FileReport, reading: PresetReading?) {
        do throws(CommandFailure) {
            let input = try InputFile(reading: path, limit: BztimerInput.largest)
            let (bytes, name) = (input.bytes, input.name)
            let reading =
                if case .presets(let found) = ForeignFile.read(bytes, name: name, strict: strict, repair: repair) {
                    found
                } else {
                    PresetReader.read(bytes, name: name, strict: strict, repair: repair)
                }
            return (FileReport(reading, file: name), reading)
        } catch {
            return (FileReport(file: path, failure: error), nil)
        }
    }

    /// Whether there is a valid file of presets at that path, which a new one may replace without a question.
    static func isPresets(_ output: OutputFile) -> Bool { read(output.path).reading?.isValid == true }
}
