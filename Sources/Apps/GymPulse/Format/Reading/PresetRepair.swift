import FormatKit
import StrictJSON

/// Repairs a document of presets as the app does when it meets corrupt data.
///
/// A fault that the app cannot repair stays, and is an error of the file.
struct PresetRepair {
    /// The repaired document.
    private(set) var value: JSONValue
    /// The repaired document with 1 for a work or rest of 0 seconds, which the app skips and no schema allows.
    private(set) var valueToCheck: JSONValue
    /// The repairs in the order of the presets, each with the code of its fault.
    private(set) var findings = CheckFindings(repair: true)

    init(_ document: JSONValue, version: Int) {
        value = document
        valueToCheck = document
        guard let presets = version == 1 ? document.array : document["presets"]?.array else { return }
        var repaired = presets
        var checked = presets
        for (index, preset) in presets.enumerated() {
            guard var object = preset.object else { continue }
            let pointer = PresetLayout.list(version).appending(index)
            repairName(of: &object, at: pointer)
            repairCounts(of: &object, at: pointer)
            if version > 1 { addSwitches(to: &object, at: pointer) }
            repaired[index] = .object(object)
            skipPhases(of: &object, at: pointer)
            checked[index] = .object(object)
        }
        if version == 1 {
            (value, valueToCheck) = (.array(repaired), .array(checked))
        } else {
            value["presets"] = .array(repaired)
            valueToCheck["presets"] = .array(checked)
        }
    }

    private mutating func note(_ code: String, _ fault: String, fix: String, _ pointer: JSONPointer) {
        findings.addFixable(code, fault, fix: fix, at: pointer)
    }

    private mutating func repairName(of preset: inout JSONObject, at pointer: JSONPointer) {
        guard let name = preset["name"]?.string, let fault = PresetName.fault(name) else { return }
        let repaired = PresetName.mended(name)
        guard PresetName.fault(repaired) == nil else { return }
        preset["name"] = .string(repaired)
        let code = name.isBlank ? "schema.pattern" : AppFormatError.Code.presetName.description
        note(code, fault, fix: "it becomes \"\(repaired)\"", pointer.appending("name"))
    }

    private mutating func repairCounts(of preset: inout JSONObject, at pointer: JSONPointer) {
        let range = Preset.countRange
        for name in ["sets", "rounds"] {
            guard let number = preset[name]?.number, let isHigh = Self.isBeyond(range, number) else { continue }
            let bound = isHigh ? range.upperBound : range.lowerBound
            preset[name] = .number(bound)
            let fault = "found \(number), expected at \(isHigh ? "most" : "least") \(bound)"
            let code = isHigh ? "schema.maximum" : "schema.minimum"
            note(code, fault, fix: "it becomes \(bound)", pointer.appending(name))
        }
    }

    private mutating func addSwitches(to preset: inout JSONObject, at pointer: JSONPointer) {
        for name in PresetLayout.switches where preset[name] == nil {
            preset[name] = true
            note("schema.required", "found no member \"\(name)\"", fix: "it becomes true", pointer)
        }
    }

    private mutating func skipPhases(of preset: inout JSONObject, at pointer: JSONPointer) {
        for (name, phase) in [("workSeconds", "work"), ("restSeconds", "rest")] where preset[name]?.int == 0 {
            preset[name] = 1
            let fault = "found 0, expected at least 1"
            note("schema.minimum", fault, fix: "the \(phase) phase is skipped", pointer.appending(name))
        }
    }

    /// Returns true for an integer of any size above a range, false below it; nil for one in it and for other numbers.
    private static func isBeyond(_ range: ClosedRange<Int>, _ number: JSONNumber) -> Bool? {
        if let int = number.int { return range.contains(int) ? nil : int > range.upperBound }
        let isNegative = number.token.hasPrefix("-")
        let digits = isNegative ? number.token.dropFirst() : number.token[...]
        return digits.utf8.allSatisfy { (48...57).contains($0) } ? !isNegative : nil
    }
}
