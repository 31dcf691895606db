import FormatKit
public import GymPulse
import StrictJSON

extension SessionTemplate {
    /// The category of the activities that work becomes.
    static let workCategory = "Exercise"

    /// Converts a preset to a session that does the same: Get Ready is a transition, work an Exercise activity, rest a
    /// rest.
    ///
    /// It keeps the preset's identifier; those of the blocks follow from it. Lost are switches that are off, unknown members,
    /// and how the rounds make up sets where there are several.
    public static func converting(_ preset: Preset) -> Conversion<SessionTemplate> {
        let items = Timeline(preset).entries.enumerated().map { index, entry in
            BlockInstance(
                id: "\(preset.id)-\(index + 1)",
                label: entry.label,
                kind: kind(entry.phase),
                timing: .duration(seconds: entry.duration),
                category: entry.phase == .work ? workCategory : nil
            )
        }
        var losses: [MigrationLoss] = []
        let rounds = preset.rounds
        if preset.sets > 1 {
            let text = "\(preset.sets) sets of \(rounds) rounds become \(preset.sets * rounds) rounds one after another"
            losses.append(MigrationLoss(text, at: JSONPointer(tokens: ["sets"])))
        }
        for (name, isOn) in [("soundEnabled", preset.soundEnabled), ("voiceEnabled", preset.voiceEnabled)] where !isOn {
            let text = "\(name == "soundEnabled" ? "sound" : "voice") is off, which a session cannot say"
            losses.append(MigrationLoss(text, at: JSONPointer(tokens: [name])))
        }
        losses += MigrationLoss.members(preset.extra, at: .root)
        return Conversion(SessionTemplate(id: preset.id, name: preset.name, items: items), losses: losses)
    }

    private static func kind(_ phase: Timeline.Phase) -> BlockKind {
        switch phase {
        case .work, .activity: .activity
        case .rest: .rest
        case .getReady, .transition, .countdown: .transition
        }
    }
}
