internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import StrictJSON

extension Bzpack.Inspect {
    static func text(_ reading: ParseResult<PresetFile>, _ file: PresetFile) -> String {
        var lines = ["\(reading.name ?? ""): GymPulse presets, version \(reading.version ?? 0)"]
        if let container = reading.container {
            lines.append("in: \(container.form), other keys ignored: \(container.otherKeys)")
        }
        lines.append("presets: \(file.presets.count)")
        lines += file.presets.map { preset in
            "  \(preset.name): \(preset.sets) × \(preset.rounds) rounds, \(Words.length(preset.totalSeconds))"
        }
        lines += unknown(reading.unknownMembers())
        return lines.map { TerminalText.safe($0) + "\n" }.joined()
    }

    static func json(_ reading: ParseResult<PresetFile>, _ file: PresetFile) -> JSONValue {
        let container = reading.container.map { container -> JSONValue in
            ["form": .string(container.form), "otherKeys": .number(container.otherKeys)]
        }
        return [
            "file": .string(reading.name ?? ""),
            "format": "gympulse-presets",
            "version": .number(reading.version ?? 0),
            "container": container ?? .null,
            "presets": .array(
                file.presets.map { preset in
                    [
                        "id": .string(preset.id),
                        "name": .string(preset.name),
                        "sets": .number(preset.sets),
                        "rounds": .number(preset.rounds),
                        "totalSeconds": .number(preset.totalSeconds),
                        "digest": .string(ContentDigest(of: preset).description),
                    ]
                }
            ),
            "unknownMembers": .array(reading.unknownMembers().map { .string($0.description) }),
        ]
    }
}
