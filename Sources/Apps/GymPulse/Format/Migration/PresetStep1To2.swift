import FormatKit
import StrictJSON

/// Version 1 (a bare list) to version 2 (an envelope, switches for sound and voice).
enum PresetStep1To2 {
    static let step = MigrationStep(
        format: PresetFormat.name,
        from: 1,
        to: 2,
        losses: ["that sound or voice is off", "unknown members of the envelope"],
        up: { value in Migrated(up(value)) },
        down: { (value) throws(AppFormatError) in try down(value) },
        olderPointer: { pointer in
            pointer.tokens.first == "presets" ? JSONPointer(tokens: Array(pointer.tokens.dropFirst())) : .root
        },
        newerPointer: { JSONPointer(tokens: ["presets"] + $0.tokens) }
    )

    /// Returns the rules for a preset: a bare list has no place for the envelope's members, so the first preset takes
    /// them.
    private static func rules(_ index: Int) -> PreservedRules {
        PreservedRules(
            up: { name, value, preset, _ in
                if name == "envelope" { return index == 0 && isEnvelope(value) }
                return PresetLayout.switches.contains(name) && preset[name] == nil && value.bool == false
            },
            down: { name, value, preset, _ in
                PresetLayout.switches.contains(name) && preset[name] != nil && value.bool == true
            }
        )
    }

    // MARK: Up

    private static func up(_ document: JSONValue) -> JSONValue {
        guard let presets = document.array else { return document }
        var envelope: JSONObject = ["format": .string(PresetFormat.name), "version": 2]
        var upgraded: [JSONValue] = []
        upgraded.reserveCapacity(presets.count)
        for (index, preset) in presets.enumerated() {
            guard let object = preset.object else {
                upgraded.append(preset)
                continue
            }
            let result = object.passing(from: 1, to: 2, rules(index)) { preset, transfer in
                for member in transfer.take("envelope")?.object ?? [:] { envelope[member.name] = member.value }
                for name in PresetLayout.switches {
                    if preset[name] != nil {
                        transfer.park(name, true)
                    } else {
                        preset[name] = transfer.take(name) ?? true
                    }
                }
            }
            upgraded.append(.object(result))
        }
        envelope["presets"] = .array(upgraded)
        return .object(envelope)
    }

    // MARK: Down

    private static func down(_ document: JSONValue) throws(AppFormatError) -> Migrated {
        guard var envelope = document.object, let presets = envelope["presets"]?.array else {
            return Migrated(document)
        }
        guard !presets.isEmpty else {
            throw AppFormatError(
                .noPresets,
                "version 1 is a bare list, and this file has no presets: an empty list cannot be told from any other",
                at: JSONPointer(tokens: ["presets"])
            )
        }
        for name in PresetLayout.envelope { envelope[name] = nil }
        var losses = envelope.filter { $0.name != Preserved.memberName }.map { member in
            MigrationLoss(
                "cannot hold members beside the presets: \"\(member.name)\" is preserved, and an older app "
                    + "does not show it",
                at: JSONPointer(tokens: [member.name])
            )
        }
        var downgraded: [JSONValue] = []
        downgraded.reserveCapacity(presets.count)
        for (index, preset) in presets.enumerated() {
            guard let object = preset.object else {
                downgraded.append(preset)
                continue
            }
            let place = JSONPointer(tokens: ["presets", String(index)])
            let result = object.passing(from: 2, to: 1, rules(index)) { preset, transfer in
                if index == 0, !envelope.isEmpty { transfer.park("envelope", .object(envelope)) }
                removeSwitches(from: &preset, at: place, &transfer, &losses)
            }
            downgraded.append(.object(result))
        }
        return Migrated(.array(downgraded), losses: losses)
    }

    /// Removes the switches from a preset: one that is on is what version 1 means without one, and one that is off is
    /// parked.
    private static func removeSwitches(
        from preset: inout JSONObject,
        at pointer: JSONPointer,
        _ transfer: inout PreservedTransfer,
        _ losses: inout [MigrationLoss]
    ) {
        for name in PresetLayout.switches {
            guard let value = preset[name], transfer.take(name) == nil else { continue }
            preset[name] = nil
            guard value.bool == false else { continue }
            transfer.park(name, value)
            let what = name == "soundEnabled" ? "sound" : "voice"
            let text = "cannot switch the \(what) off: that is preserved, and an older app turns it on"
            losses.append(MigrationLoss(text, at: pointer.appending(name)))
        }
    }

    private static func isEnvelope(_ value: JSONValue) -> Bool {
        guard let members = value.object, !members.isEmpty else { return false }
        return PresetLayout.envelope.allSatisfy { members[$0] == nil }
    }
}
