public import StrictJSON

/// An error for a document or a value of an app that cannot be used.
///
/// Reading a file collects diagnostics instead; this error is for operations that give one answer or none: a migration,
/// a value that a store holds, a setting.
public struct AppFormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A stable name of what went wrong, as docs/diagnostics.md lists it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, for example `version.newer`.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// A migration chain has a gap, a duplicate or a step that is not one version up.
        public static let migrationChain = Code("migration.chain")
        /// The version is not a positive integer.
        public static let versionInvalid = Code("version.invalid")
        /// The version is newer than this program knows.
        public static let versionNewer = Code("version.newer")
        /// The version is missing where it is needed.
        public static let versionMissing = Code("version.missing")
        /// A version that holds one session was asked to hold none or several.
        public static let sessionCount = Code("bztimer.session-count")
        /// A session is longer than history can hold.
        public static let sessionLength = Code("bztimer.session-length")
        /// A member is missing or has a value that the model does not take.
        public static let member = Code("bztimer.member")
        /// A file of a pack has a name that it cannot be given.
        public static let packName = Code("bzpack.name")
        /// A setting has no such name or does not take that value.
        public static let setting = Code("bztimer.setting")
        /// A custom category cannot have that name.
        public static let category = Code("bztimer.category")
        /// The plan of the store is Free and the operation needs Pro.
        public static let needsPro = Code("bztimer.needs-pro")
        /// A limit of the Free plan is reached.
        public static let limit = Code("bztimer.limit")
        /// Two presets have one identifier.
        public static let duplicatePreset = Code("presets.duplicate-id")
        /// A preset cannot have that name.
        public static let presetName = Code("presets.name")
        /// There are no presets, and version 1 has no way to say so.
        public static let noPresets = Code("presets.empty")
        /// A session is not what a preset can be.
        public static let conversionPattern = Code("conversion.pattern")
        /// A session has no blocks, and a workout needs one.
        public static let workoutEmpty = Code("zwo.empty")
        /// A block is longer than one of a workout can be.
        public static let workoutLength = Code("zwo.length")
        /// A session has more blocks, or longer texts, than a workout can have.
        public static let workoutSize = Code("zwo.size")
        /// A rule for keeping backups cannot be used.
        public static let retention = Code("slate.retention")
        /// A member of a tracker export or a study log is missing or has a value that the model does not take.
        public static let trackerMember = Code("tracker.member")
        /// An activity cannot be started or stopped, or a button cannot be what it is asked to be.
        public static let trackerState = Code("tracker.state")
        /// The sessions of Study Timer are not in a state for that.
        public static let studyState = Code("study.state")
        /// There is no change that can be taken back.
        public static let nothingToUndo = Code("store.nothing-to-undo")
        /// The file is a known binary file and no JSON.
        public static let notJSON = Code("format.not-json")
        /// The document is of another format.
        public static let otherFormat = Code("format.other")
        /// A schema of the program itself cannot be used.
        public static let schema = Code("format.schema")
    }

    /// The error code.
    public var code: Code
    /// The message: what failed and what to do, in one sentence without a final full stop.
    public var message: String
    /// The place in the document, if known.
    public var pointer: JSONPointer?

    /// Makes an error.
    public init(_ code: Code, _ message: String, at pointer: JSONPointer? = nil) {
        self.code = code
        self.message = message
        self.pointer = pointer
    }

    /// Code, message and place in one line.
    public var description: String { diagnostic(file: nil).description }

    /// Returns the error as a diagnostic of a file.
    public func diagnostic(file: String?, position: TextPosition? = nil) -> Diagnostic {
        Diagnostic(code: code.description, message: message, file: file, position: position, pointer: pointer)
    }
}
