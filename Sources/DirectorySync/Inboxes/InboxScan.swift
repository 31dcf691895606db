internal import CivilTime
internal import Crypto
internal import FileSystem
internal import RecordStore
internal import StrictJSON

/// Finds the exports in an inbox that were not taken yet.
package struct InboxScan {
    /// An export to take.
    struct Found {
        let name: String
        let document: InboxDocument
        /// The time of the export in milliseconds since 1970: as it says itself, else when the file was written.
        let madeAt: Int?
    }

    /// A file that is there and cannot be used, now or as before.
    package struct Held: Equatable {
        package let name: String
        package let outcome: InboxMemory.Outcome
        package let message: String

        package init(name: String, outcome: InboxMemory.Outcome, message: String) {
            self.name = name
            self.outcome = outcome
            self.message = message
        }
    }

    /// The new exports, in the order in which the device made them.
    private(set) var found: [Found] = []
    /// Files that cannot be used.
    private(set) var held: [Held] = []
    /// The memory with what is known by now; what is found is added once it was taken.
    private(set) var memory: InboxMemory.Folder
    private var pending: [String: InboxMemory.File] = [:]
    private let formats: [any InboxFormat]
    /// The files in the inbox that sync wrote.
    private let outputs: [String]
    private lazy var outputHashes = Set(outputs.compactMap { try? Self.hash(Files.read($0, limit: Self.largest)) })

    /// The largest export that is read.
    static let largest = 1 << 29

    /// Looks through an inbox.
    ///
    /// - Parameters:
    ///   - formats: What the exports may be of.
    ///   - now: Nanoseconds since 1970.
    ///   - program: The version of this program; what an older one did not understand is read again.
    /// - Throws: The fault where the folder cannot be read.
    init(
        _ path: String,
        _ memory: InboxMemory.Folder,
        _ formats: [any InboxFormat],
        now: Int,
        program: String
    ) throws(FileError) {
        self.memory = memory
        self.formats = formats
        let all = try Files.names(in: path).names
        let names = all.filter { Self.isCandidate($0, formats) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        outputs = all.filter { InboxOutput.isOwn($0, formats) }.map { "\(path)/\($0)" }
        let present = Set(names)
        self.memory.files = memory.files.filter { present.contains($0.key) }
        for name in names {
            // The fingerprint comes first: whoever writes meanwhile changes it. Only ordinary files have one.
            let file = "\(path)/\(name)"
            guard let stamp = FileFingerprint(file) else { continue }
            if let known = memory.files[name], known.stamp == stamp, known.isFinal(for: program) {
                hold(name, known)
                continue
            }
            read(name, at: file, stamp, isFresh: stamp.isFresh(at: now), program)
        }
        found.sort { ($0.madeAt ?? .min, $0.name) < ($1.madeAt ?? .min, $1.name) }
    }

    private mutating func read(
        _ name: String,
        at path: String,
        _ stamp: FileFingerprint,
        isFresh: Bool,
        _ program: String
    ) {
        let bytes: [UInt8]
        let reading: InboxReading
        do {
            bytes = try Files.read(path, limit: Self.largest)
            reading = try InboxReading(bytes, name: path, formats)
        } catch {
            let message = (error as? FileError).map { "cannot read \($0.path): \($0.reason)" } ?? "\(error)"
            return held.append(Held(name: name, outcome: .unusable, message: message))
        }
        let hash = Self.hash(bytes)
        var file = InboxMemory.File(
            stamp: isFresh ? nil : stamp,
            hash: hash,
            outcome: .taken,
            message: nil,
            program: program
        )
        if let known = memory.files[name], known.hash == hash, known.isFinal(for: program) {
            file.outcome = known.outcome
            file.message = known.message
            memory.files[name] = file
            return hold(name, file)
        }
        switch reading {
        case .document where outputHashes.contains(hash):
            // A copy of what sync wrote: taken for an export, it would show an import that never was.
            file.outcome = .foreign
        case .document(let document) where document.exportedAt != nil && memory.outputs.contains(hash):
            file.outcome = .foreign
        // A file that the device overwrote is a new export, though it may be as an earlier one was.
        case .document(let document)
        where memory.exports.contains(hash) && (document.exportedAt != nil || memory.files[name] == nil):
            file.outcome = .older
            // Without a time nobody knows whether the device went back to what it was.
            if document.exportedAt == nil, memory.exports.last != hash {
                file.outcome = .foreign
                file.message =
                    "\(path): it is the same as an export that was taken before, and does not say when it was made; where the "
                    + "device went back to that, foldersync inbox remove and add let sync look at it anew"
            }
        case .document(let document):
            pending[name] = file
            let madeAt = document.exportedAt.map { $0.seconds * 1_000 + $0.nanoseconds / 1_000_000 }
            found.append(Found(name: name, document: document, madeAt: madeAt ?? stamp.modified / 1_000_000))
            return
        case .foreign where isNamedAsExport(name):
            let message = "\(path): it is named as an export, and holds none that is known"
            (file.outcome, file.message) = (.unusable, message)
        case .foreign: file.outcome = .foreign
        case .unusable(let findings): (file.outcome, file.message) = (.unusable, findings.first?.description)
        case .newer(let findings): (file.outcome, file.message) = (.newer, findings.first?.description)
        }
        memory.files[name] = file
        hold(name, file)
    }

    private mutating func hold(_ name: String, _ file: InboxMemory.File) {
        guard let message = file.message else { return }
        held.append(Held(name: name, outcome: file.outcome, message: message))
    }

    /// Notes what became of an export that was found.
    mutating func note(_ name: String, _ outcome: InboxMemory.Outcome, _ message: String? = nil) {
        guard var file = pending.removeValue(forKey: name) else { return }
        file.outcome = outcome
        file.message = message
        memory.files[name] = file
        if outcome == .taken { memory.remember(export: file.hash) }
    }

    /// Notes that the device has an app, so that the merged state is written for it if that app imports it.
    ///
    /// - Parameters:
    ///   - document: Its export, of which the device gets back what is its own.
    ///   - hasOthers: Whether the device exported other things as well.
    mutating func noteApp(of document: InboxDocument, hasOthers: Bool = false) {
        let app = document.app.rawValue
        guard document.isAnswered else {
            if !hasOthers { memory.written[app] = nil }
            return
        }
        memory.written[app] = memory.written[app] ?? ""
        memory.own[app] = document.own
    }

    /// Tells whether a name may be that of an export: not hidden, and not one that sync wrote.
    static func isCandidate(_ name: String, _ formats: [any InboxFormat]) -> Bool {
        guard !name.hasPrefix("."), !name.hasPrefix("~"), !InboxOutput.isOwn(name, formats) else { return false }
        let lowercased = name.lowercased()
        return lowercased.hasSuffix(".json") || formats.contains { lowercased.hasSuffix(".\($0.fileExtension)") }
    }

    /// Tells whether a file has the name of an app's exports, such as Slate-20260101.json or legs.bztimer.
    private func isNamedAsExport(_ name: String) -> Bool {
        let name = name.lowercased()
        return formats.contains { format in
            name.hasPrefix("\(format.filePrefix.lowercased())-")
                || format.fileExtension != "json" && name.hasSuffix(".\(format.fileExtension)")
        }
    }

    static func hash(_ bytes: [UInt8]) -> String { Hex.text(SHA256.hash(data: bytes)) }
}

extension InboxMemory.File {
    /// Tells whether reading the file once more would have the same outcome.
    fileprivate func isFinal(for program: String) -> Bool {
        switch outcome {
        case .taken, .older: true
        case .foreign, .unusable, .newer: self.program == program
        case .waiting: false
        }
    }
}
