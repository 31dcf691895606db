import CivilTime
import Foundation
import GymPulse
import Interchange
import StrictJSON
import TestSupport
import TimeTracker

/// Data for the tests of this target.
enum Samples {
    /// An export with whatever texts may hold, the same for a seed.
    static func export(seed: UInt64, count: Int = 30) -> TrackerExport {
        var generator = SeededGenerator(seed: seed)
        let buttons = (0..<4).map { number in
            ActivityButton(
                id: "button-\(number)",
                name: text(&generator, nonBlank: true),
                color: "#1E90F\(number)",
                icon: ["😴", "💼", "", "a,\"b\""][number],
                isDefault: number == 0,
                position: number,
                isVisible: number != 3,
                unknownMembers: number == 2 ? ["x": [1, "\u{7F}"]] : JSONObject()
            )
        }
        let activities = (0..<count).map { number in
            let start = Timestamp(
                seconds: Int.random(in: 0...2_000_000_000, using: &generator),
                nanoseconds: [0, 0, 500_000_000, 123_456_789].randomElement(using: &generator) ?? 0
            )
            let end = start.adding(seconds: [0, 60, 3600, 90_000, -5].randomElement(using: &generator) ?? 0)
            let offset = [nil, 0, 60, -570, 765].randomElement(using: &generator) ?? nil
            return TrackerActivity(
                id: number % 7 == 3 ? text(&generator, nonBlank: true) + "\(number)" : "activity-\(number)",
                name: text(&generator, nonBlank: true),
                buttonID: [nil, "", "button-1", "=2+3"].randomElement(using: &generator) ?? nil,
                start: ZonedTimestamp(start, offsetMinutes: offset),
                end: number == 5 ? nil : ZonedTimestamp(end, offsetMinutes: offset),
                color: [nil, "#a0B1c2"].randomElement(using: &generator) ?? nil,
                unknownMembers: number % 5 == 0
                    ? ["note": .string(text(&generator)), "n": .number(12), "deep": ["a": [nil, true]]]
                    : number % 5 == 1
                        ? [
                            "client": .string(text(&generator)),
                            "description": .string(text(&generator, nonBlank: true)),
                            "task": .number(number), "billable": true, "columns": ["Amount (EUR)": "1,50"],
                        ]
                        : number % 5 == 2
                            ? [
                                "tags": [["a", "b c"], ["a,b"], [" a"], [], [1]].randomElement(using: &generator)
                                    ?? nil,
                                "billable": [false, "yes", "maybe", 1].randomElement(using: &generator) ?? nil,
                                "amount": ["2 EUR", "", 3].randomElement(using: &generator) ?? nil,
                                "columns": [["Billable Amount (EUR)": "2"], ["Amount": ""], 1]
                                    .randomElement(using: &generator) ?? nil,
                            ] : JSONObject()
            )
        }
        return TrackerExport(
            exportedAt: "2026-03-01T07:30:00+01:00",
            timeZone: "Europe/Berlin",
            buttons: buttons,
            activities: activities,
            unknownMembers: ["who": "Ada; and, \"others\""]
        )
    }

    private static let pieces = [
        "Work", "é", "e\u{301}", "漢字", "🏋️", "\"", "'", ",", ";", "\\", "\\n", "\n", "\r", "\r\n", "\t", "=1+1", "-",
        "@x", "＝",
        " ", "<b>", "&amp;", "]]>", "\u{0}", "\u{1}", "\u{7F}", "\u{FFFE}", "\u{FFFF}", "\u{200F}", "x", "END:VEVENT",
        "#", "|",
        "\u{85}", "\u{2028}", "\u{FEFF}",
    ]

    static func text(_ generator: inout SeededGenerator, nonBlank: Bool = false) -> String {
        let count = Int.random(in: 0...6, using: &generator)
        let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        return nonBlank ? text + "n" : text
    }

    /// What a writer gives to its sink.
    static func bytes(_ write: (@escaping (UnsafeRawBufferPointer) -> Void) throws -> Void) rethrows -> [UInt8] {
        var bytes: [UInt8] = []
        try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) {
            try write($0)
        }
        return bytes
    }

    static let berlin = LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt)
}

extension TrackerExport {
    /// Puts together what a reader handed on; entries of other programs are left out.
    init(_ items: [TrackerItem]) {
        self.init()
        for item in items {
            switch item {
            case .heading(let heading):
                exportedAt = heading.exportedAt
                timeZone = heading.timeZone
                unknownMembers = heading.unknownMembers
            case .button(let button, _): buttons.append(button)
            case .activity(let activity, _): activities.append(activity)
            case .entry: continue
            }
        }
    }
}

extension EntrySummary {
    /// The codes of the findings, in order.
    var codes: [String] { findings.diagnostics.map(\.code) }
    /// The findings as lines.
    var lines: [String] { findings.diagnostics.map(\.description) }
}
