internal import AgeFile
package import CivilTime
internal import FileSystem
internal import StrictJSON
internal import SystemPackage

/// Files with passphrases, identities and recipients.
enum KeyFile {
    /// The most bytes of one.
    private static let largest = 1 << 20

    /// Reads a passphrase: the one line of a file.
    ///
    /// - Throws: 65 where the file is empty or has several lines; 66 where it cannot be read.
    static func passphrase(_ path: String) throws(CommandFailure) -> AgePassphrase {
        KeyProtection.preventCoreDumps()
        var bytes = try secret(path)
        defer { wipe(&bytes) }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.contains(UInt8(ascii: "\n")) else {
            throw CommandFailure(.badData, "\(path) has several lines, and a passphrase is one line")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            let message =
                "it begins with a byte order mark, which counts as part of the passphrase: save it without one"
            let note = Diagnostic(.note, code: "key.mark", message: message, file: path)
            StandardError.write(DiagnosticRenderer().render([note]))
        }
        do throws(AgeError) {
            return try AgePassphrase(bytes)
        } catch {
            throw CommandFailure(error, file: path)
        }
    }

    /// Reads a secret of one or several lines.
    ///
    /// - Throws: 65 where the file is empty; 66 where it cannot be read.
    static func text(_ path: String) throws(CommandFailure) -> AgePassphrase {
        KeyProtection.preventCoreDumps()
        var bytes = try secret(path)
        defer { wipe(&bytes) }
        do throws(AgeError) {
            return try AgePassphrase(bytes)
        } catch {
            throw CommandFailure(error, file: path)
        }
    }

    /// Reads identities.
    ///
    /// - Throws: 65 where one cannot be used or there is none; 66 where the file cannot be read.
    static func identities(_ path: String) throws(CommandFailure) -> [AgeIdentity] {
        KeyProtection.preventCoreDumps()
        var bytes = try secret(path)
        defer { wipe(&bytes) }
        guard !AgeReader.isAge(bytes) else {
            throw CommandFailure(.badData, "\(path) is encrypted itself; decrypt it first with age -d")
        }
        do throws(AgeError) {
            return try AgeIdentity.list(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandFailure(error, file: path)
        }
    }

    /// Reads recipients.
    ///
    /// - Throws: 65 where one cannot be used or there is none; 66 where the file cannot be read.
    static func recipients(_ path: String) throws(CommandFailure) -> [AgeRecipient] {
        do {
            let bytes = try Files.read(path, limit: largest)
            return try AgeRecipient.list(String(decoding: bytes, as: UTF8.self))
        } catch let error as AgeError {
            throw CommandFailure(error, file: path)
        } catch {
            throw CommandFailure(library: error) ?? CommandFailure(.inputOutput, "cannot read \(path)")
        }
    }

    private static func secret(_ path: String) throws(CommandFailure) -> [UInt8] {
        do throws(FileError) {
            let file = try Files.openInput(path)
            let status = try file.status()
            if status.kind == .file, status.permissions & 0o077 != 0 {
                let message = "others can read this secret: chmod 600 \(path)"
                let note = Diagnostic(.note, code: "key.permissions", message: message, file: path)
                StandardError.write(DiagnosticRenderer().render([note]))
            }
            return try file.readAll(limit: largest, expected: status.size)
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// A file with a new identity, which only its owner may read.
package enum IdentityFile {
    /// Makes the file.
    ///
    /// - Parameters:
    ///   - path: Where there is nothing yet.
    ///   - moment: The present moment.
    /// - Returns: The recipient, which is no secret: `age1…`.
    /// - Throws: 73 where there is a file already, or none can be made.
    package static func make(_ path: String, at moment: Timestamp) throws(CommandFailure) -> String {
        KeyProtection.preventCoreDumps()
        let identity = AgeIdentity()
        let recipient = identity.recipient.description
        let text = "# created: \(moment)\n# public key: \(recipient)\n\(identity.secretText())\n"
        do throws(FileError) {
            let file = try OpenFile(creating: path, mode: 0o600)
            try file.write(text)
            try file.force()
            try file.close()
            try Files.force(folderOf: path)
        } catch {
            guard error.errno == .fileExists else { throw CommandFailure(error) }
            let message = "cannot create \(path): it is there already, and a key is never replaced"
            throw CommandFailure(.cannotCreate, message)
        }
        return recipient
    }

    /// Names the recipients of the identities in a file.
    ///
    /// - Throws: 65 where an identity cannot be used or there is none; 66 where the file cannot be read.
    package static func recipients(of path: String) throws(CommandFailure) -> [String] {
        try KeyFile.identities(path).map(\.recipient.description)
    }
}

extension OpenFile {
    fileprivate func write(_ text: String) throws(FileError) {
        var bytes = Array(text.utf8)
        defer { wipe(&bytes) }
        let failure = bytes.withUnsafeBytes { bytes in
            do throws(FileError) {
                try write(bytes)
                return nil as FileError?
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }
}
