import FormatKit
import StrictJSON

/// Mends a document of presets as the app does when it meets corrupt data.
///
/// What the app cannot mend stays as it is and is an error of the file.
struct PresetRepair {
    /// A fault that was mended.
    struct Fix {
        /// The code that the fault has where nothing is mended.
        let code: String
        /// What was found and what was made of it.
        let message: String
        let pointer: JSONPointer
    }

    /// The mended document.
    private(set) var value: JSONValue
    /// The mended document with 1 for a work or rest of 0 seconds, which the app skips and no schema allows.
    private(set) var valueToCheck: JSONValue
    /// What was mended, in the order of the presets.
    private(set) var mends: [Fix] = []

    init(_ document: JSONValue, version: Int) {
        value = document
        valueToCheck = document
        guard let presets = version == 1 ? document.array : document["presets"]?.array else { return }
        var mended = presets
        var checked = presets
        for (index, preset) in presets.enumerated() {
            guard var object = preset.object else { continue }
            let pointer = PresetOutline.list(version).appending(index)
            mendName(of: &object, at: pointer)
            mendCounts(of: &object, at: pointer)
            if version > 1 { addSwitches(to: &object, at: pointer) }
            mended[index] = .object(object)
            skipPhases(of: &object, at: pointer)
            checked[index] = .object(object)
        }
        if version == 1 {
            (value, valueToCheck) = (.array(mended), .array(checked))
        } else {
            value["presets"] = .array(mended)
            valueToCheck["presets"] = .array(checked)
        }
    }

    private mutating func note(_ code: String, _ message: String, _ pointer: JSONPointer) {
        mends.append(Fix(code: code, message: message, pointer: pointer))
    }

    private mutating func mendName(of preset: inout JSONObject, at pointer: JSONPointer) {
        guard let name = preset["name"]?.string, let fault = PresetName.fault(name) else { return }
        let mended = PresetName.mended(name)
        guard PresetName.fault(mended) == nil else { return }
        preset["name"] = .string(mended)
        let code = name.isBlank ? "schema.pattern" : AppFormatError.Code.presetName.description
        note(code, "\(fault); repaired: it becomes \"\(mended)\"", pointer.appending("name"))
    }

    private mutating func mendCounts(of preset: inout JSONObject, at pointer: JSONPointer) {
        let range = Preset.countRange
        for name in ["sets", "rounds"] {
            guard let number = preset[name]?.number, let isHigh = Self.isBeyond(range, number) else { continue }
            let bound = isHigh ? range.upperBound : range.lowerBound
            preset[name] = .number(JSONNumber(bound))
            let message =
                "found \(number), expected at \(isHigh ? "most" : "least") \(bound); repaired: it becomes \(bound)"
            note(isHigh ? "schema.maximum" : "schema.minimum", message, pointer.appending(name))
        }
    }

    private mutating func addSwitches(to preset: inout JSONObject, at pointer: JSONPointer) {
        for name in PresetLayout.switches where preset[name] == nil {
            preset[name] = true
            note("schema.required", "found no member \"\(name)\"; repaired: it becomes true", pointer)
        }
    }

    private mutating func skipPhases(of preset: inout JSONObject, at pointer: JSONPointer) {
        for (name, phase) in [("workSeconds", "work"), ("restSeconds", "rest")] where preset[name]?.int == 0 {
            preset[name] = 1
            let message = "found 0, expected at least 1; repaired: the \(phase) phase is skipped"
            note("schema.minimum", message, pointer.appending(name))
        }
    }

    /// Whether an integer of any size is above a range, false where it is below; nil for what is in it or no integer.
    private static func isBeyond(_ range: ClosedRange<Int>, _ number: JSONNumber) -> Bool? {
        if let int = number.int { return range.contains(int) ? nil : int > range.upperBound }
        let isNegative = number.token.hasPrefix("-")
        let digits = isNegative ? number.token.dropFirst() : number.token[...]
        return digits.utf8.allSatisfy { (48...57).contains($0) } ? !isNegative : nil
    }
}
