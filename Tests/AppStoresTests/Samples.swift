import BZTimer
import GymPulse
import StrictJSON

/// Sessions and activities with unknown members of every awkward kind.
enum Samples {
    /// Unknown members whose order, number tokens and escapes must stay as they are.
    static let unknown = """
        {"zeta":1.0,"alpha":1E+2,"big":123456789012345678901234567890,"tiny":-0.0,"nested":{"b":[1,2.50,null],"a":{"é":"\\u0000"}},\
        "10":true,"9":"\u{1F3CB}"}
        """

    static func extra(_ text: String = unknown) throws -> JSONObject {
        try JSONDocument(parsing: text).root.value.object ?? [:]
    }

    static func session(_ id: String = "s1", name: String = "Leg day") throws -> SessionTemplate {
        SessionTemplate(
            id: id,
            name: name,
            items: [
                BlockInstance(id: "b1", label: "Get ready", kind: .transition, timing: .duration(seconds: 10)),
                BlockInstance(
                    id: "b2",
                    templateId: "t1",
                    label: "Squats\u{0}with a NUL",
                    kind: .activity,
                    timing: .reps(count: 12, secondsEach: 3),
                    category: "Übung",
                    color: "#E4572E",
                    icon: "🏋️",
                    notes: "",
                    extra: try extra()
                ),
                BlockInstance(
                    id: "b3",
                    label: "Rest",
                    kind: .rest,
                    timing: .duration(seconds: 30),
                    extra: try extra("{\"x\":1}")
                ),
            ],
            tags: ["b", "a"],
            scheduledDaysOfWeek: [5, 1],
            extra: try extra()
        )
    }

    static func activity(_ id: String = "t1") throws -> BlockTemplate {
        BlockTemplate(
            id: id,
            label: "Squats",
            timing: .reps(count: 12, secondsEach: 3),
            category: nil,
            notes: "deep",
            extra: try extra()
        )
    }

    static func entry(_ id: String, session: String?, at time: String = "2026-03-01T06:30:00Z") -> SessionHistoryEntry {
        SessionHistoryEntry(
            id: id,
            sessionId: session,
            sessionName: "Leg day",
            completedAt: time,
            totalDurationSeconds: 95
        )
    }
}
