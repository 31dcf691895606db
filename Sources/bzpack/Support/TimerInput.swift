internal import AppFormats
internal import CommandSupport

/// Reads files that may be of either timer app, told by their content.
enum TimerInput {
    /// Checks a file of sessions or presets; `-` is the standard input.
    ///
    /// - Returns: The report, and the version of the file's own format where that can be told.
    static func read(_ path: String, strict: Bool, repair: Bool) -> (report: FileReport, version: Int?) {
        do throws(CommandFailure) {
            let input = try InputFile(reading: path, limit: BztimerInput.largest)
            let presets = PresetReader.read(input.bytes, name: input.name, strict: strict, repair: repair)
            if presets.identity == .gympulse {
                return (FileReport(presets, file: input.name), presets.version)
            }
            let sessions = BztimerReader.read(input.bytes, name: input.name, strict: strict)
            return (FileReport(sessions, file: input.name), sessions.version)
        } catch {
            return (FileReport(file: path, failure: error), nil)
        }
    }
}
