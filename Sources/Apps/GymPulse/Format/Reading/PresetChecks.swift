package import FormatKit
import StrictJSON

/// The checks of a document of presets that a schema cannot make: identifiers and the length of names.
package struct PresetChecks {
    /// The findings so far.
    package private(set) var findings = CheckFindings()

    /// - Parameters:
    ///   - isList: Whether the document is a bare list, as version 1 is.
    ///   - errorsOnly: Whether warnings are left out, as for a document that breaks its schema.
    package init(_ presets: [PlacedNode], isList: Bool, errorsOnly: Bool) {
        var first: [ScalarKey: JSONPointer] = [:]
        for preset in presets {
            if let id = preset.node["id"]?.string {
                let place = preset.pointer.appending("id")
                if let earlier = first[ScalarKey(id)] {
                    let message = "the preset id \"\(id)\" is used twice, first at \(earlier)"
                    add(.error, .duplicatePreset, message, at: place)
                } else {
                    first[ScalarKey(id)] = place
                }
            }
            // That a name is blank is for the schema to say.
            guard let name = preset.node["name"]?.string, !name.isBlank, let fault = PresetName.fault(name) else {
                continue
            }
            add(.error, .presetName, fault, at: preset.pointer.appending("name"))
        }
        guard !errorsOnly, !isList, presets.isEmpty else { return }
        add(.warning, .noPresets, "the file holds no presets", at: .root)
    }

    private mutating func add(
        _ severity: Diagnostic.Severity,
        _ code: AppFormatError.Code,
        _ message: String,
        at place: JSONPointer
    ) {
        findings.add(severity, code.description, message, at: place)
    }
}
