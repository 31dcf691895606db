import Foundation
import TestSupport

/// Brings files from one copy of a directory to another, as Syncthing or a network drive may: in any order, in part, twice.
enum Transport {
    /// The files of the layout in a copy of the directory: those of writers, checkpoints and markers, in order.
    static func files(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder)
            return !isFolder.boolValue && !path.hasPrefix("tmp/")
        }.sorted()
    }

    /// The files of one kind.
    static func files(_ folder: String, ending: String) throws -> [String] {
        try files(folder).filter { $0.hasSuffix(ending) }
    }

    /// The segments of the writer that has published last in a copy that only one device has written to.
    static func segments(_ folder: String) throws -> [String] { try files(folder, ending: ".seg") }

    /// Brings one file, whole; what has its name already is replaced.
    static func bring(_ file: String, from: String, to: String, as name: String? = nil) throws {
        try put([UInt8](Data(contentsOf: URL(filePath: from + "/" + file))), to + "/" + (name ?? file))
    }

    /// Writes a file at once, and its folders.
    static func put(_ bytes: [UInt8], _ path: String) throws {
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: url, options: .atomic)
    }

    /// Brings all files that are missing, and a marker that says by now that the folder is encrypted.
    static func bring(from: String, to: String, where isWanted: (String) -> Bool = { _ in true }) throws {
        let known = FileManager.default.fileExists(atPath: to) ? Set(try files(to)) : []
        for file in try files(from) where isWanted(file) {
            if known.contains(file) {
                guard file.hasSuffix(".root"), try saysEncrypted(from + "/" + file) else { continue }
            }
            try bring(file, from: from, to: to)
        }
    }

    private static func saysEncrypted(_ marker: String) throws -> Bool {
        try String(contentsOfFile: marker, encoding: .utf8).contains("encrypted")
    }

    /// Brings all files to all.
    static func exchange(_ peers: Peer...) throws {
        for one in peers {
            for other in peers where other !== one { try bring(from: one.folder, to: other.folder) }
        }
    }

    /// Brings only what a new device needs to join: the markers and declarations.
    static func introduce(_ peer: Peer, to folder: String) throws {
        try introduce(peer.folder, to: folder)
    }

    /// As for a peer, by its copy of the directory.
    static func introduce(_ copy: String, to folder: String) throws {
        // Of an encrypted folder nobody can tell which file is a declaration.
        try bring(from: folder, to: copy) {
            !$0.contains("/") || ["app/", "keys/", "sealed/"].contains(where: $0.hasPrefix)
        }
    }

    /// A digest of everything in a directory.
    static func snapshot(_ folder: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for file in try files(folder) { found[file] = try Data(contentsOf: URL(filePath: folder + "/" + file)) }
        return found
    }
}
