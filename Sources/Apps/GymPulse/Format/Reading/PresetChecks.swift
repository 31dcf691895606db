import FormatKit
import StrictJSON

/// What a schema cannot say of a document of presets: identifiers and the length of names.
struct PresetChecks {
    /// A fault and its place.
    struct Fault {
        let severity: Diagnostic.Severity
        let code: AppFormatError.Code
        let message: String
        let pointer: JSONPointer
    }

    private(set) var faults: [Fault] = []

    /// - Parameter errorsOnly: Whether warnings are left out, as for a document that breaks its schema.
    init(_ outline: PresetOutline, errorsOnly: Bool) {
        var first: [ScalarKey: JSONPointer] = [:]
        for preset in outline.presets {
            if let id = preset.node["id"]?.string {
                let place = preset.pointer.appending("id")
                if let earlier = first[ScalarKey(id)] {
                    let message = "the preset id \"\(id)\" is used twice, first at \(earlier)"
                    faults.append(Fault(severity: .error, code: .duplicatePreset, message: message, pointer: place))
                } else {
                    first[ScalarKey(id)] = place
                }
            }
            // That a name is blank is for the schema to say.
            guard let name = preset.node["name"]?.string, !name.isBlank, let fault = PresetName.fault(name) else {
                continue
            }
            let place = preset.pointer.appending("name")
            faults.append(Fault(severity: .error, code: .presetName, message: fault, pointer: place))
        }
        guard !errorsOnly, outline.version > 1, outline.presets.isEmpty else { return }
        faults.append(
            Fault(severity: .warning, code: .noPresets, message: "the file holds no presets", pointer: .root)
        )
    }
}
