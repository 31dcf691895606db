internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON
internal import TimeTracker

extension TrackerTool {
    struct Buttons: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "buttons",
            abstract: "List and change the buttons.",
            discussion:
                "A button is named by any part of its name that fits one; case does not count. undo takes a change back.",
            subcommands: [ButtonsList.self, ButtonsAdd.self, ButtonsEdit.self, ButtonsDelete.self],
            defaultSubcommand: ButtonsList.self
        )
    }

    struct ButtonsList: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the buttons in their order, hidden ones too."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let buttons = try store.reading().read { try $0.buttons() }
            var table = TextTable([.right("ORDER"), .fixed("ICON"), .left("NAME"), .fixed("COLOUR"), .left("")])
            for (index, button) in buttons.enumerated() {
                let name = TerminalText.cut(button.name, to: 40)
                table.add(["\(index + 1)", button.icon, name, button.color, button.isVisible ? "" : "hidden"])
            }
            try output.print(
                buttons.isEmpty ? Messages.noButtons : table.render(),
                ["buttons": .array(buttons.map(\.json))]
            )
        }
    }

    struct ButtonsAdd: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a button.",
            discussion: "tracker-export buttons add Garden --icon 🌱 --color \"#4CAF50\""
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var look: ButtonLook
        @OptionGroup var output: FormatOption

        @Argument(help: "The name.")
        var name: String

        func run() throws {
            guard !Words.isBlank(name) else { throw CommandFailure(.usage, Messages.buttonNeedsName) }
            let report = try store.writing(mustExist: true).write { records in
                if let other = try records.button(named: name) {
                    let hint = other.isVisible ? "change it with buttons edit" : "show it with buttons edit --show"
                    throw CommandFailure(.usage, Messages.buttonExists(other.name, hint))
                }
                let buttons = try records.buttons()
                var button = ActivityButton(new: name, id: newIdentifier(), among: buttons)
                look.apply(to: &button)
                let change = TrackerChange("add", buttons: look.steps(from: nil, to: button, among: buttons))
                return try ButtonChange.make(change, records)
            }
            try report.print(output)
        }
    }

    struct ButtonsEdit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Change the name, colour, icon or place of a button; hide or show it.",
            discussion: "Entries keep the name and the colour that the button had when they began."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var look: ButtonLook
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("Its new name.", valueName: "name"))
        var rename: String?

        @Flag
        var visibility: ButtonVisibility?

        @Argument(help: "The name of the button, or a part of it.", completion: .buttons)
        var name: String

        func validate() throws {
            guard rename != nil || visibility != nil || look.isGiven else {
                throw ValidationError(Messages.sayWhatOfButton)
            }
        }

        func run() throws {
            let report = try store.writing(mustExist: true).write { records in
                let before = try records.visibleButton(named: name)
                var after = before
                if let rename {
                    guard !Words.isBlank(rename) else { throw CommandFailure(.usage, Messages.buttonNeedsName) }
                    if let other = try records.button(named: rename), other.id != before.id {
                        throw CommandFailure(.usage, Messages.buttonExists(other.name))
                    }
                    after.name = rename
                }
                if let visibility { after.isVisible = visibility == .show }
                look.apply(to: &after)
                let steps = look.steps(from: before, to: after, among: try records.buttons())
                return try ButtonChange.make(TrackerChange("edit", buttons: steps), records)
            }
            try report.print(output)
        }
    }

    struct ButtonsDelete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Hide a button; its entries stay, as in the app."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        @Argument(help: "The name of the button, or a part of it.", completion: .buttons)
        var name: String

        func run() throws {
            let report = try store.writing(mustExist: true).write { records in
                let before = try records.visibleButton(named: name)
                guard before.isVisible else { throw CommandFailure(.usage, Messages.hiddenAlready(before.name)) }
                var after = before
                after.isVisible = false
                let step = TrackerChange.Step(before: before, after: after)
                return try ButtonChange.make(TrackerChange("delete", buttons: [step]), records)
            }
            try report.print(output)
        }
    }
}
