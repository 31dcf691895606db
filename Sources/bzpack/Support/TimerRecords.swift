internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse

/// The records of a file of sessions or of presets, by which another file is known to hold them as well.
struct TimerRecords {
    private struct Record {
        /// The name in messages.
        let name: String
        let id: String
        let digest: ContentDigest
    }

    private let format: FormatIdentity
    private let records: [Record]

    /// Takes the sessions and activities of a file.
    init(_ file: BztimerFile) {
        format = .bztimer
        let sessions = file.sessions.map {
            Record(name: "session \"\($0.name)\"", id: $0.id, digest: ContentDigest(of: $0))
        }
        let activities = (file.activities ?? []).map {
            Record(name: "activity \"\($0.label)\"", id: $0.id, digest: ContentDigest(of: $0))
        }
        records = sessions + activities
    }

    /// Takes the presets of a file.
    init(_ file: PresetFile) {
        format = .gympulse
        records = file.presets.map {
            Record(name: "preset \"\($0.name)\"", id: $0.id, digest: ContentDigest(of: $0))
        }
    }

    /// Reads the file that is to be replaced; nil where it is no valid one of sessions or presets.
    private init?(reading output: OutputFile) {
        switch TimerInput.find(output.path) {
        case .presets(_, let reading):
            guard let file = reading.content else { return nil }
            self.init(file)
        case .sessions(let found):
            guard found.pack == nil, let file = found.files.first?.reading?.content else { return nil }
            self.init(file)
        case .workout, .backup: return nil
        }
    }

    /// Asks before these records replace a file, unless they are of its format and hold all of its own.
    ///
    /// A record is the same by its identifier, or by its name and content.
    ///
    /// - Throws: 64 where nobody is there to ask, and where the answer is no.
    func requireReplacing(_ output: OutputFile, _ confirmation: ConfirmationOption) throws(CommandFailure) {
        guard output.exists, !confirmation.yes else { return }
        guard let old = TimerRecords(reading: output), old.format == format else {
            return try confirmation.requireReplacing(output)
        }
        let ids = Set(records.map(\.id))
        let digests = Set(records.map(\.digest))
        let missing = old.records.filter { !ids.contains($0.id) && !digests.contains($0.digest) }
        guard let first = missing.first else { return }
        let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
        try confirmation.requireReplacing(output, being: "which also holds \(first.name)\(more)")
    }
}
