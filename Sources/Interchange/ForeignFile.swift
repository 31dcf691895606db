public import FormatKit
public import GymPulse
public import StrictJSON
internal import XMLIO

/// A file of timers that is not JSON, told by its content.
public enum ForeignFile: Sendable {
    /// A Zwift workout.
    case workout(ZwiftReading)
    /// A property list with GymPulse presets, or without, which is an error of the reading.
    case presets(ParseResult<PresetFile>)
    /// XML that is no file of timers, or is not well-formed.
    case unusable(Diagnostic)

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - name: The file as the person named it, for the diagnostics.
    ///   - strict: Whether members of presets that the version does not know are reported.
    ///   - repair: Whether corrupt presets are mended as the app does it.
    /// - Returns: What the file holds, or nil where it is neither XML nor a property list.
    public static func read(
        _ bytes: [UInt8],
        name: String? = nil,
        strict: Bool = false,
        repair: Bool = false
    ) -> ForeignFile? {
        if BinaryPropertyList.isOne(bytes) {
            return .presets(PropertyListPresets.read(bytes, name: name, strict: strict, repair: repair))
        }
        guard isMarkup(bytes) else { return nil }
        do throws(XMLError) {
            var options = XMLOptions()
            options.documentType = .skipped
            let root = try XMLElement.parse(bytes, options)
            if root.isNamed(ZwiftWorkout.rootName) { return .workout(ZwiftReader.read(root, name: name)) }
            if root.name == "plist" {
                return .presets(PropertyListPresets.read(root, name: name, strict: strict, repair: repair))
            }
            let message =
                "this is XML with the root element <\(root.name)>, expected a workout of Zwift "
                + "(<\(ZwiftWorkout.rootName)>) or a property list of presets (<plist>)"
            return .unusable(Diagnostic(code: "format.other", message: message, file: name, position: root.position))
        } catch {
            guard error.code == .invalidUTF8, let (text, found) = Windows1252.decoded(bytes),
                case .workout(var reading)? = read(text, name: name)
            else { return .unusable(error.diagnostic(file: name)) }
            let code = "text.windows-1252"
            reading.diagnostics.insert(
                Diagnostic(.warning, code: code, message: found.message, file: name, position: found.position),
                at: 0
            )
            reading.findingCount += 1
            return .workout(reading)
        }
    }

    /// Tells whether the first character that is not white space is a `<`, also in UTF-16, so that its reader can name
    /// that.
    private static func isMarkup(_ bytes: [UInt8]) -> Bool {
        let wide: [[UInt8]] = [[0xFF, 0xFE, 0x3C, 0], [0xFE, 0xFF, 0, 0x3C], [0x3C, 0], [0, 0x3C]]
        if wide.contains(where: bytes.starts(with:)) { return true }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }
}
