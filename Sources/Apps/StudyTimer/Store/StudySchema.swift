import RecordStore

/// The tables of the Study Timer store and their versions.
enum StudySchema {
    static let identity = StoreFile.Identity(name: "Study Timer store", applicationID: applicationID, steps: [tables])

    /// Marks the file as a Study Timer store: `STDY` in ASCII.
    private static let applicationID = 0x5354_4459

    /// The tables of version 1: those of the cloud.
    ///
    /// `extra` holds the members that the format does not know as a JSON object, or NULL. Moments are RFC 3339.
    private static let tables = """
        CREATE TABLE session (
            id TEXT NOT NULL PRIMARY KEY,
            device_id TEXT NOT NULL,
            title TEXT NOT NULL,
            status TEXT NOT NULL,
            start_time TEXT NOT NULL,
            end_time TEXT,
            accumulated_seconds INTEGER NOT NULL,
            extra TEXT
        ) STRICT;
        CREATE TABLE event (
            id TEXT NOT NULL PRIMARY KEY,
            session_id TEXT NOT NULL,
            event_type TEXT NOT NULL,
            created_at TEXT NOT NULL,
            extra TEXT
        ) STRICT;
        CREATE INDEX event_session ON event (session_id);
        CREATE TABLE property (
            name TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
