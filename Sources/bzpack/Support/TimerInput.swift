internal import AppFormats
internal import CommandSupport

/// Reads files that may be of either timer app, told by their content.
enum TimerInput {
    /// What was found in a file: the report, and the version of the file's own format where that can be told.
    typealias Part = (report: FileReport, version: Int?)

    /// Checks a file of sessions or presets, or all files of a `.bzpack`; `-` is the standard input.
    static func read(_ path: String, strict: Bool, repair: Bool) -> [Part] {
        do throws(CommandFailure) {
            let input = try InputFile(reading: path, limit: BztimerInput.largest)
            if !PackInput.isPack(input.bytes) {
                let presets = PresetReader.read(input.bytes, name: input.name, strict: strict, repair: repair)
                if presets.identity == .gympulse {
                    return [(FileReport(presets, file: input.name), presets.version)]
                }
            }
            return BztimerInput.find(input, strict: strict).files.map { ($0.report, $0.reading?.version) }
        } catch {
            return [(FileReport(file: path, failure: error), nil)]
        }
    }
}
