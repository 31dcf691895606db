import FormatKit
import StrictJSON

/// The matching of a file's buttons, and of names, with the store's buttons.
package struct TrackerButtonPlanner {
    /// The actions on a button.
    package enum Step {
        case create(ActivityButton)
        case update(ActivityButton)
    }

    /// The store's buttons as they will be.
    package private(set) var buttons: [ActivityButton]
    /// The actions, in order.
    package private(set) var steps: [Step] = []
    /// The ids of the file's buttons whose place others take, and the ids of these.
    private(set) var renamed: [ScalarKey: String] = [:]
    private var byName: [CategoryKey: Int] = [:]
    private var byID: [ScalarKey: Int] = [:]
    /// The buttons of the store that one of the file stands for already.
    private var claimed: Set<Int> = []
    /// The number of buttons that the store had before.
    private let storedCount: Int

    package init(_ stored: [ActivityButton]) {
        buttons = stored
        storedCount = stored.count
        for (index, button) in stored.enumerated() {
            byID[ScalarKey(button.id)] = index
            let key = CategoryKey(button.name)
            // Of several with one name the first that is shown.
            if let other = byName[key], buttons[other].isVisible || !button.isVisible { continue }
            byName[key] = index
        }
    }

    /// Plans the buttons of a file: shown ones first, as of two with one name the one that is shown is meant.
    ///
    /// - Parameters:
    ///   - update: Whether the file's button takes the place of another one with the same id.
    ///   - place: Where the file has the button with that index.
    package mutating func plan(
        _ file: [ActivityButton],
        update: Bool,
        _ recorder: TrackerPlanRecorder,
        place: (Int) -> TrackerImportAction.Place
    ) throws {
        for index in file.indices {
            if let stored = byID[ScalarKey(file[index].id)] { claimed.insert(stored) }
        }
        let shownFirst = file.indices.sorted { (file[$0].isVisible ? 0 : 1, $0) < (file[$1].isVisible ? 0 : 1, $1) }
        var planned: [(index: Int, action: TrackerImportAction, steps: [Step])] = []
        for index in shownFirst {
            let before = takeSteps()
            let (verb, id, reason) = plan(file[index], update)
            let action = TrackerImportAction(
                verb: verb,
                subject: .button,
                name: file[index].name,
                id: id,
                reason: reason,
                place: place(index)
            )
            planned.append((index, action, takeSteps()))
            steps = before
        }
        // Buttons with one position stay in the order of the file.
        for (_, action, more) in planned.sorted(by: { $0.index < $1.index }) {
            steps += more
            try recorder.add(action)
        }
    }

    private mutating func plan(
        _ button: ActivityButton,
        _ update: Bool
    ) -> (verb: TrackerImportAction.Verb, id: String, reason: String) {
        if let index = byID[ScalarKey(button.id)] {
            let stored = buttons[index]
            var button = button
            button.unknownMembers.keep(stored.unknownMembers)
            if stored.isSame(as: button) { return (.skip, button.id, "the store has it already") }
            guard update else {
                return (.conflict, button.id, "the store has \"\(stored.name)\" with that id, which is kept as it is")
            }
            buttons[index] = button
            steps.append(.update(button))
            return (.update, button.id, "it takes the place of \"\(stored.name)\", which has the same id")
        }
        if let index = unclaimed(CategoryKey(button.name)) {
            claimed.insert(index)
            renamed[ScalarKey(button.id)] = buttons[index].id
            return (.skip, buttons[index].id, "the store has \"\(buttons[index].name)\", which stands for it")
        }
        add(button)
        return (.create, button.id, button.isVisible ? "it is new" : "it is new, and hidden")
    }

    /// Returns the store's button of a name that none of the file's stands for yet: one that is shown, else a hidden one.
    private func unclaimed(_ name: CategoryKey) -> Int? {
        guard let index = byName[name], index < storedCount else { return nil }
        guard claimed.contains(index) else { return index }
        let others = buttons[..<storedCount].indices.filter {
            !claimed.contains($0) && CategoryKey(buttons[$0].name) == name
        }
        return others.first { buttons[$0].isVisible } ?? others.first
    }

    /// Returns the button for a name, which is made where there is none.
    ///
    /// - Parameter color: The colour of a new one; nil for one of its own.
    package mutating func button(
        named name: String,
        color: String?,
        _ recorder: TrackerPlanRecorder,
        place: TrackerImportAction.Place
    ) throws -> ActivityButton {
        if let index = byName[CategoryKey(name)] { return buttons[index] }
        let preset = TrackerPresets.button(named: name)
        var button = ActivityButton(
            id: EntryIdentity.button(named: name),
            name: preset?.name ?? name,
            color: color ?? preset?.color ?? TrackerPresets.color(of: name),
            icon: preset?.icon ?? "",
            isDefault: preset != nil,
            position: ActivityButton.position(after: buttons)
        )
        var number = 2
        while byID[ScalarKey(button.id)] != nil {
            button.id = "\(EntryIdentity.button(named: name))-\(number)"
            number += 1
        }
        add(button)
        try recorder.add(
            TrackerImportAction(
                verb: .create,
                subject: .button,
                name: button.name,
                id: button.id,
                reason: "the store has no button of that name",
                place: place
            )
        )
        return button
    }

    private mutating func add(_ button: ActivityButton) {
        buttons.append(button)
        byID[ScalarKey(button.id)] = buttons.count - 1
        let key = CategoryKey(button.name)
        if byName[key] == nil { byName[key] = buttons.count - 1 }
        steps.append(.create(button))
    }

    /// Returns the id of the store's button that stands for one of the file with an id; nil where it keeps its own.
    package func renamed(_ id: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        if renamed.isEmpty { return nil }
        return renamed[ScalarKey(String(decoding: id, as: UTF8.self))].map { Array($0.utf8) }
    }

    /// Takes the steps that were not taken yet.
    package mutating func takeSteps() -> [Step] {
        defer { steps = [] }
        return steps
    }
}
