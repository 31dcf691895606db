internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import Interchange
internal import StrictJSON

/// Reads files of GymPulse presets.
enum PresetInput {
    /// Reads a file; `-` is the standard input.
    static func read(
        _ path: String,
        strict: Bool = false,
        repair: Bool = false
    ) -> (report: FileReport, reading: ParseResult<PresetFile>?) {
        do throws(CommandFailure) {
            let input = try InputFile(reading: path, limit: BztimerInput.largest)
            let (bytes, name) = (input.bytes, input.name)
            let reading =
                if case .presets(let found) = ForeignFile.read(bytes, name: name, strict: strict, repair: repair) {
                    found
                } else {
                    PresetFormat.read(bytes, name: name, strict: strict, repair: repair)
                }
            return (FileReport(reading, file: name), reading)
        } catch {
            return (FileReport(file: path, failure: error), nil)
        }
    }

    /// Tells whether there is a valid file of presets at that path, which a new one may replace without a question.
    static func isPresets(_ output: OutputFile) -> Bool { read(output.path).reading?.isValid == true }
}
