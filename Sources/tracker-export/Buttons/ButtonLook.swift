internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import TimeTracker

/// The look of a button, and its place.
struct ButtonLook: ParsableArguments {
    @Option(help: ArgumentHelp("Its colour.", valueName: "#RRGGBB"))
    var color: String?

    @Option(help: ArgumentHelp("An emoji.", valueName: "emoji"))
    var icon: String?

    @Option(help: ArgumentHelp("Its place among the buttons, from 1.", valueName: "place"))
    var order: Int?

    var isGiven: Bool { color != nil || icon != nil || order != nil }

    func validate() throws {
        if let color, !ActivityButton.isColor(color) {
            throw ValidationError(Messages.noColor(color))
        }
        if let order, order < 1 { throw ValidationError(Messages.firstPlace) }
    }

    /// Gives a button the colour and the icon that were named.
    func apply(to button: inout ActivityButton) {
        if let color { button.color = color }
        if let icon { button.icon = icon }
    }

    /// Returns the steps that put a button where it belongs; the others move up or down.
    func steps(
        from before: ActivityButton?,
        to after: ActivityButton,
        among buttons: [ActivityButton]
    ) -> [TrackerChange.Step<ActivityButton>] {
        guard let order else { return [TrackerChange.Step(before: before, after: after)] }
        var moved = buttons.filter { $0.id != after.id }
        moved.insert(after, at: min(order - 1, moved.count))
        var steps: [TrackerChange.Step<ActivityButton>] = []
        for (position, button) in moved.enumerated() {
            var placed = button
            placed.position = position
            let stored = buttons.first { $0.id == button.id }
            if placed != stored { steps.append(TrackerChange.Step(before: stored, after: placed)) }
        }
        return steps
    }
}

/// The visibilities of a button.
enum ButtonVisibility: String, EnumerableFlag {
    case hide, show

    static func help(for value: ButtonVisibility) -> ArgumentHelp? {
        value == .hide ? "Hide the button; its entries stay." : "Show a hidden button again."
    }
}

/// A change of buttons.
enum ButtonChange {
    static func make(_ change: TrackerChange, _ records: TrackerRecords) throws -> EntryChange {
        try records.make(change)
        return EntryChange(made: change)
    }
}

/// Buttons in words.
enum ButtonWords {
    /// Returns the line about a button's change.
    static func line(_ step: TrackerChange.Step<ActivityButton>) -> String {
        switch (step.before, step.after) {
        case (nil, let after?): return Messages.addedButton(after.name, look(after))
        case (let before?, nil): return Messages.deletedButton(before.name)
        case (nil, nil): return ""
        case (let before?, let after?):
            var changes: [String] = []
            if before.name != after.name { changes.append("was \"\(before.name)\"") }
            if before.isVisible != after.isVisible {
                changes.append(after.isVisible ? "is shown" : "is hidden, and its entries stay")
            }
            if (before.color, before.icon) != (after.color, after.icon) {
                changes.append("\(look(after)), before \(look(before))")
            }
            if before.position != after.position { changes.append("place \(after.position + 1)") }
            return "Button \"\(after.name)\": \(changes.isEmpty ? "as it was" : changes.joined(separator: "; "))."
        }
    }

    private static func look(_ button: ActivityButton) -> String {
        button.icon.isEmpty ? button.color : "\(button.color) \(button.icon)"
    }
}
