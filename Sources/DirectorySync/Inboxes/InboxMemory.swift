package import FileSystem
package import StrictJSON

/// The files of inboxes that were read, with the outcome of each, so that each is read once.
///
/// It can be lost: then they are read once more, which changes nothing.
package struct InboxMemory: Equatable {
    /// The outcome of reading a file.
    package enum Outcome: String, CaseIterable {
        /// Its changes are in the store.
        case taken
        /// A later export of the device was taken before.
        case older
        /// It is nothing that concerns any app, or no store of its app is here.
        case foreign
        /// It cannot be used as it is.
        case unusable
        /// It is of a newer version.
        case newer
        /// A person has to do something first: it is looked at each time.
        case waiting
    }

    /// A file as it was read last.
    package struct File: Equatable {
        /// Nil where nothing but reading tells whether it changed.
        package var stamp: FileFingerprint?
        var hash: String
        package var outcome: Outcome
        /// The reason why the file could not be used.
        package var message: String?
        /// The version of the program that read it.
        var program: String
    }

    /// An inbox.
    package struct Folder: Equatable {
        /// The files by name.
        package var files: [String: File] = [:]
        /// The digest of what was written for the device last, by app.
        var written: [String: String] = [:]
        /// The changes that the store knew when that file was written, by app.
        var heads: [String: String] = [:]
        /// The members that stay the device's own, as its last export has them, by app.
        var own: [String: String] = [:]
        /// The hashes of the last files that were written: a copy of one, by whatever name, is no export.
        private(set) var outputs: [String] = []
        /// The hashes of the last exports that were taken: one that arrives again is none, by whatever name.
        private(set) var exports: [String] = []

        /// The space and the device that all this is about.
        var owner: String?

        private static let most = 200

        /// Remembers the hash of a written file.
        mutating func remember(output hash: String) { Self.remember(hash, in: &outputs) }

        /// Remembers the hash of an export that was taken.
        mutating func remember(export hash: String) { Self.remember(hash, in: &exports) }

        /// Forgets which exports were taken, and what was held.
        mutating func reconsider() {
            exports = []
            files = files.filter { $0.value.message == nil }
        }

        private static func remember(_ hash: String, in hashes: inout [String]) {
            hashes = (hashes.filter { $0 != hash } + [hash]).suffix(most)
        }
    }

    /// The folders by path.
    package var folders: [String: Folder] = [:]

    /// Makes a memory; an empty one by default.
    package init(folders: [String: Folder] = [:]) { self.folders = folders }
}

extension InboxMemory {
    package static let format = "satchel-foldersync-inboxes"

    private static let version = 1

    /// Reads what was remembered; of a file, what cannot be used is forgotten, and it is read once more.
    ///
    /// - Parameter file: The name for messages.
    /// - Throws: ``InboxError`` where the memory is damaged or of a newer version: written back, it would be lost.
    package init(reading bytes: [UInt8], file: String) throws(InboxError) {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONDocument(parsing: bytes).root
        } catch {
            throw Self.damaged(file, [error.diagnostic(file: file)])
        }
        guard root["format"]?.string == Self.format, let version = root["version"]?.int, version >= 1 else {
            throw Self.damaged(file)
        }
        guard version <= Self.version else {
            let message = "\(file): found version \(version), expected at most \(Self.version)"
            throw InboxError("\(message); a newer foldersync wrote it: update this one", [])
        }
        guard let inboxes = root["inboxes"], inboxes.kind == .object else { throw Self.damaged(file) }
        for (path, node) in inboxes.members {
            var folder = Folder()
            if let written = node["written"] {
                for (app, digest) in written.members { folder.written[app] = digest.string }
            }
            if let heads = node["heads"] {
                for (app, text) in heads.members { folder.heads[app] = text.string }
            }
            if let own = node["own"] {
                for (app, text) in own.members { folder.own[app] = text.string }
            } else {
                // Version 0.1 had a member for the one app that has anything of its own.
                folder.own["slate"] = node["lastOpen"]?.string
            }
            if let outputs = node["outputs"] {
                for hash in outputs.elements.compactMap(\.string) { folder.remember(output: hash) }
            }
            folder.owner = node["owner"]?.string
            if let exports = node["exports"] {
                for hash in exports.elements.compactMap(\.string) { folder.remember(export: hash) }
            }
            if let files = node["files"] {
                for (name, file) in files.members { folder.files[name] = File(file) }
            }
            folders[path] = folder
        }
    }

    private static func damaged(_ file: String, _ diagnostics: [Diagnostic] = []) -> InboxError {
        let message = "\(file) does not hold what became of the files of inboxes, as it should"
        return InboxError("\(message); move it away, and they are looked at again", diagnostics)
    }

    /// The memory as a file.
    package var json: JSONValue {
        var inboxes = JSONObject()
        for (path, folder) in folders.sorted(by: { $0.key < $1.key }) {
            var files = JSONObject()
            for (name, file) in folder.files.sorted(by: { $0.key < $1.key }) { files[name] = .object(file.json) }
            var written = JSONObject()
            for (app, digest) in folder.written.sorted(by: { $0.key < $1.key }) { written[app] = .string(digest) }
            var own = JSONObject()
            for (app, text) in folder.own.sorted(by: { $0.key < $1.key }) { own[app] = .string(text) }
            var heads = JSONObject()
            for (app, text) in folder.heads.sorted(by: { $0.key < $1.key }) { heads[app] = .string(text) }
            var inbox: JSONObject = [
                "files": .object(files), "written": .object(written), "heads": .object(heads), "own": .object(own),
                "outputs": .array(folder.outputs.map { .string($0) }),
                "exports": .array(folder.exports.map { .string($0) }),
            ]
            inbox["owner"] = folder.owner.map { .string($0) }
            inboxes[path] = .object(inbox)
        }
        return [
            "format": .string(Self.format), "version": .number(Self.version), "inboxes": .object(inboxes),
        ]
    }
}

extension InboxMemory.File {
    fileprivate init?(_ node: JSONNode) {
        guard let hash = node["hash"]?.string,
            let outcome = node["outcome"]?.string.flatMap(InboxMemory.Outcome.init),
            let program = node["program"]?.string
        else { return nil }
        let numbers = node["stamp"].map { $0.elements.compactMap(\.int) } ?? []
        stamp =
            numbers.count == 4
            ? FileFingerprint(size: numbers[0], modified: numbers[1], changed: numbers[2], inode: numbers[3]) : nil
        self.hash = hash
        self.outcome = outcome
        message = node["message"]?.string
        self.program = program
    }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["stamp"] = stamp.map { stamp in
            .array(
                [stamp.size, stamp.modified, stamp.changed, stamp.inode].map { .number($0) }
            )
        }
        object["hash"] = .string(hash)
        object["outcome"] = .string(outcome.rawValue)
        object["message"] = message.map { .string($0) }
        object["program"] = .string(program)
        return object
    }
}
