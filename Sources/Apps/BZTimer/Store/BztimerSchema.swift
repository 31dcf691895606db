import RecordStore

/// The tables of the BZ Timer store and their versions.
enum BztimerSchema {
    /// The marks by which the store is recognised.
    static let identity = StoreFile.Identity(name: "BZ Timer store", applicationID: applicationID, steps: steps)

    /// Marks the file as a BZ Timer store: `BZTM` in ASCII.
    private static let applicationID = 0x425A_544D
    /// Steps from an empty file to the current version, which `PRAGMA user_version` holds.
    ///
    /// A released step never changes.
    private static let steps = [tables, presets]

    /// The tables of version 1.
    ///
    /// Columns hold the members that the format knows; `extra` holds all others as a JSON object, or NULL. `envelope`
    /// holds the unknown members of the top level of the file that the record came in.
    private static let tables = """
        CREATE TABLE session (
            id TEXT NOT NULL PRIMARY KEY,
            position INTEGER NOT NULL,
            name TEXT,
            tags TEXT,
            scheduled_days_of_week TEXT,
            extra TEXT,
            envelope TEXT
        ) STRICT;
        CREATE TABLE block (
            session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            id TEXT,
            template_id TEXT,
            label TEXT,
            type TEXT,
            mode TEXT,
            duration_seconds INTEGER,
            reps INTEGER,
            per_rep_seconds INTEGER,
            category TEXT,
            color TEXT,
            icon TEXT,
            notes TEXT,
            extra TEXT,
            PRIMARY KEY (session_id, position)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE template (
            id TEXT NOT NULL PRIMARY KEY,
            position INTEGER NOT NULL,
            label TEXT,
            type TEXT,
            mode TEXT,
            duration_seconds INTEGER,
            reps INTEGER,
            per_rep_seconds INTEGER,
            category TEXT,
            color TEXT,
            icon TEXT,
            notes TEXT,
            extra TEXT,
            envelope TEXT
        ) STRICT;
        CREATE TABLE settings (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            pre_countdown_seconds INTEGER,
            warning_seconds_before_end INTEGER,
            enable_sounds INTEGER,
            enable_vibration INTEGER,
            keep_screen_awake INTEGER,
            history_retention TEXT,
            custom_categories TEXT,
            is_pro_user INTEGER,
            extra TEXT
        ) STRICT;
        CREATE TABLE history (
            id TEXT NOT NULL PRIMARY KEY,
            session_id TEXT,
            session_name TEXT,
            completed_at TEXT,
            total_duration_seconds INTEGER,
            extra TEXT
        ) STRICT;
        CREATE INDEX history_session ON history (session_id);
        CREATE INDEX history_completed ON history (completed_at);
        """

    /// The additions of version 2: the presets of GymPulse.
    private static let presets = """
        CREATE TABLE preset (
            id TEXT NOT NULL PRIMARY KEY,
            position INTEGER NOT NULL,
            name TEXT,
            get_ready_seconds INTEGER,
            work_seconds INTEGER,
            rest_seconds INTEGER,
            sets INTEGER,
            rounds INTEGER,
            sound_enabled INTEGER,
            voice_enabled INTEGER,
            extra TEXT,
            envelope TEXT
        ) STRICT;
        """

    private static let timing: [RecordLayout.Column] = [
        .init(member: "mode", name: "mode", kind: .text),
        .init(member: "durationSeconds", name: "duration_seconds", kind: .integer),
        .init(member: "reps", name: "reps", kind: .integer),
        .init(member: "perRepSeconds", name: "per_rep_seconds", kind: .integer),
        .init(member: "category", name: "category", kind: .text, nullIsLiteral: true),
        .init(member: "color", name: "color", kind: .text),
        .init(member: "icon", name: "icon", kind: .text),
        .init(member: "notes", name: "notes", kind: .text),
    ]

    static let session = RecordLayout(
        table: "session",
        columns: [
            .init(member: "id", name: "id", kind: .text),
            .init(member: "name", name: "name", kind: .text),
            .init(member: "tags", name: "tags", kind: .json),
            .init(member: "scheduledDaysOfWeek", name: "scheduled_days_of_week", kind: .json),
        ]
    )

    static let block = RecordLayout(
        table: "block",
        columns: [
            .init(member: "id", name: "id", kind: .text),
            .init(member: "templateId", name: "template_id", kind: .text),
            .init(member: "label", name: "label", kind: .text),
            .init(member: "type", name: "type", kind: .text),
        ] + timing
    )

    static let template = RecordLayout(
        table: "template",
        columns: [
            .init(member: "id", name: "id", kind: .text),
            .init(member: "label", name: "label", kind: .text),
            .init(member: "type", name: "type", kind: .text),
        ] + timing
    )

    static let preset = RecordLayout(
        table: "preset",
        columns: [
            .init(member: "id", name: "id", kind: .text),
            .init(member: "name", name: "name", kind: .text),
            .init(member: "getReadySeconds", name: "get_ready_seconds", kind: .integer),
            .init(member: "workSeconds", name: "work_seconds", kind: .integer),
            .init(member: "restSeconds", name: "rest_seconds", kind: .integer),
            .init(member: "sets", name: "sets", kind: .integer),
            .init(member: "rounds", name: "rounds", kind: .integer),
            .init(member: "soundEnabled", name: "sound_enabled", kind: .boolean),
            .init(member: "voiceEnabled", name: "voice_enabled", kind: .boolean),
        ]
    )

    static let settings = RecordLayout(
        table: "settings",
        columns: [
            .init(member: "preCountdownSeconds", name: "pre_countdown_seconds", kind: .integer),
            .init(member: "warningSecondsBeforeEnd", name: "warning_seconds_before_end", kind: .integer),
            .init(member: "enableSounds", name: "enable_sounds", kind: .boolean),
            .init(member: "enableVibration", name: "enable_vibration", kind: .boolean),
            .init(member: "keepScreenAwakeDuringSession", name: "keep_screen_awake", kind: .boolean),
            .init(member: "historyRetention", name: "history_retention", kind: .text),
            .init(member: "customCategories", name: "custom_categories", kind: .json),
            .init(member: "isProUser", name: "is_pro_user", kind: .boolean),
        ]
    )

    static let history = RecordLayout(
        table: "history",
        columns: [
            .init(member: "id", name: "id", kind: .text),
            .init(member: "sessionId", name: "session_id", kind: .text, nullIsLiteral: true),
            .init(member: "sessionName", name: "session_name", kind: .text),
            .init(member: "completedAt", name: "completed_at", kind: .text),
            .init(member: "totalDurationSeconds", name: "total_duration_seconds", kind: .integer),
        ]
    )
}
