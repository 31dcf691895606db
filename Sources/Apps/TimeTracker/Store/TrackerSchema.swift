package import RecordStore

/// The tables of the Time Tracker store and their versions.
package enum TrackerSchema {
    /// The marks by which the store is recognised.
    ///
    /// With pages of 16 KB a million activities are imported in a tenth less time.
    package static let identity = StoreFile.Identity(
        name: "Time Tracker store",
        applicationID: applicationID,
        steps: steps,
        pageSize: 16_384
    )

    /// Marks the file as a Time Tracker store: `TRAK` in ASCII.
    private static let applicationID = 0x5452_414B
    /// Steps from an empty file to the current version, which `PRAGMA user_version` holds.
    ///
    /// A released step never changes.
    private static let steps = [
        tables + activityIndexes.map(\.sql).joined(separator: "\n") + partialIndexes
    ]

    /// The tables of version 1.
    ///
    /// A moment is whole milliseconds since 1970-01-01T00:00:00Z, nanoseconds after them, and the minutes by which the
    /// local time it was written in is ahead of UTC, or NULL for one that was written with `Z`. `extra` holds the members
    /// that the format does not know as a JSON object, or NULL. `property` holds `time_zone` and, as a JSON object, the
    /// unknown members of the top level of the files that were imported, `envelope`.
    private static let tables = """
        CREATE TABLE button (
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            color TEXT NOT NULL,
            icon TEXT NOT NULL,
            is_default INTEGER NOT NULL,
            position INTEGER NOT NULL,
            is_visible INTEGER NOT NULL,
            extra TEXT
        ) STRICT;
        CREATE TABLE activity (
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            name TEXT NOT NULL,
            button_id TEXT,
            start_ms INTEGER NOT NULL,
            end_ms INTEGER,
            color TEXT,
            start_ns INTEGER NOT NULL DEFAULT 0,
            start_offset INTEGER,
            end_ns INTEGER NOT NULL DEFAULT 0,
            end_offset INTEGER,
            extra TEXT
        ) STRICT;
        CREATE TABLE property (
            name TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        """

    /// The indexes of all activities, which are made after a table was filled: that takes half the time.
    package static let activityIndexes: [(name: String, sql: String)] = [
        ("activity_id", "CREATE UNIQUE INDEX activity_id ON activity (id);"),
        ("activity_start", "CREATE INDEX activity_start ON activity (start_ms);"),
    ]

    /// Two small indexes: what runs, and what lasts longer than a day, so that the activities of a day are found from the
    /// starts of that day and the one before.
    private static let partialIndexes = """

        CREATE INDEX activity_running ON activity (start_ms) WHERE end_ms IS NULL;
        CREATE INDEX activity_long ON activity (start_ms) WHERE \(isLong);
        """

    /// The condition of the index of long activities.
    package static let isLong = "end_ms - start_ms > 86400000"

    /// The columns of an activity, as statements list them.
    package static let columns =
        "key, id, name, button_id, start_ms, end_ms, color, start_ns, start_offset, end_ns, end_offset, extra"
}
