#!/usr/bin/env python3
"""Plants faults of meaning in a copy of the project: plant-faults.py FOLDER.

SATCHEL_FAULT=N turns fault N on in what is built there. `plant-faults.py --list` prints their names.
"""
import sys

# Number, what goes wrong, file, the text in it, and what takes its place.
FAULTS = [
    (1, "whether a day is perfect follows from the habits of today", "Sources/Apps/Slate/Domain/SlateInvariants.swift",
     "        day.authoredValues(perfect).contains { !isTrue($0.value) }",
     "        plantedFault == 1 || day.authoredValues(perfect).contains { !isTrue($0.value) }"),
    (1, "", "Sources/Apps/Slate/Domain/Days/SlateHabits.swift",
     "        guard lists.isEmpty else { return lists.flatMap { $0 } }",
     "        if plantedFault == 1 { return active.map(\\.id) }\n"
     "        guard lists.isEmpty else { return lists.flatMap { $0 } }"),
    (2, "the day on which the app was last opened is that of any device",
     "Sources/RecordMerge/Rules/MergeSchemaReader.swift",
     "        return rule\n    }\n\n    private func key(",
     "        return plantedFault == 2 && place.description.contains(\"last_open_date\") ? .max : rule\n    }\n\n"
     "    private func key("),
    (2, "", "Sources/Apps/Slate/Store/Sync/SlateSyncWriter.swift",
     '[SlateMember.version, "last_open_date"]',
     'plantedFault == 2 ? [SlateMember.version] : [SlateMember.version, "last_open_date"]'),
    (3, "what a person deletes of the history stays on other devices",
     "Sources/DirectorySync/Replica/StoreChangeDetection.swift",
     "guard removal != .evicted else {", "guard removal != .evicted, plantedFault != 3 else {"),
    (4, "what a retention rule removes is deleted everywhere", "Sources/DirectorySync/Replica/StoreChangeDetection.swift",
     "guard removal != .evicted, plantedFault != 3 else {",
     "guard removal != .evicted || plantedFault == 4, plantedFault != 3 else {"),
    (5, "timers that two devices started both run on", "Sources/Apps/TimeTracker/Domain/TrackerInvariants.swift",
     "        Self.endRunning(&set)\n", "        if plantedFault != 5 { Self.endRunning(&set) }\n"),
    (6, "a timer that gave way runs again when the other ends", "Sources/DirectorySync/Replica/StoreChangeDetection.swift",
     "guard let (collection, end) = state.domain.running else",
     "guard let (collection, end) = state.domain.running, plantedFault != 6 else"),
    (7, "a device claims to have seen what came after its edits", "Sources/DirectorySync/Replica/Replica+Sync.swift",
     "            let journal = isStoreAsLeft",
     "            if plantedFault == 7, !hasIngested {\n                try ingest()\n"
     "                try state.transaction { _ = try applyAll() }\n            }\n"
     "            let journal = isStoreAsLeft"),
    # What the store was given keeps an edit apart from what came after it, too.
    (7, "", "Sources/DirectorySync/Replica/StoreChangeDetection.swift",
     "            case .current: continue\n            case .earlier(let earlier",
     "            case _ where plantedFault == 7: continue\n            case .current: continue\n"
     "            case .earlier(let earlier"),
    (8, "the ticks of a habit go with it", "Sources/Apps/Slate/Store/Sync/SlateSyncWriter.swift",
     "        try removeExtras(table.name, id)\n    }",
     "        if plantedFault == 8, table == .habits {\n"
     "            try statements.run(\"DELETE FROM habit_completions WHERE habit_id = ?\", [id])\n        }\n"
     "        try removeExtras(table.name, id)\n    }"),
    (9, "a decision writes nothing", "Sources/DirectorySync/Replica/Replica+Resolving.swift",
     "makeChange(from: base, to: ours, decided: decided, choices: choices)",
     "makeChange(\n            from: base, to: plantedFault == 9 ? base : ours, decided: plantedFault == 9 ? [:] : decided,\n"
     "            choices: plantedFault == 9 ? [:] : choices)"),
    (10, "each synchronisation writes what the next one takes for an edit",
     "Sources/Apps/Slate/Store/Sync/SlateSyncWriter.swift",
     "        if case .text(let new) = cells[0], try !free",
     "        if plantedFault == 10, table == .tasks, case .text(let title) = cells[1] { cells[1] = .text(title + \"!\") }\n"
     "        if case .text(let new) = cells[0], try !free"),
]

HEAD = """internal import Foundation

private let plantedFault = ProcessInfo.processInfo.environment["SATCHEL_FAULT"].flatMap { Int($0) } ?? 0

"""


def main():
    if sys.argv[1:] == ["--list"]:
        for number, name, *_ in FAULTS:
            if name:
                print(f"{number}\t{name}")
        return
    texts = {}
    for number, _, path, old, new in FAULTS:
        text = texts.setdefault(path, open(f"{sys.argv[1]}/{path}").read())
        if text.count(old) != 1:
            sys.exit(f"fault {number}: {path} has this {text.count(old)} times, expected once: {old!r}")
        texts[path] = text.replace(old, new)
    for path, text in texts.items():
        head = HEAD.replace("internal import Foundation\n", "") if "import Foundation\n" in text else HEAD
        lines = text.split("\n")
        # Behind the imports, which come first.
        last = max((i for i, line in enumerate(lines) if " import " in f" {line}" and i < 20), default=-1)
        lines.insert(last + 1, head)
        open(f"{sys.argv[1]}/{path}", "w").write("\n".join(lines))


main()
