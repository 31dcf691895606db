internal import RecordStore
public import StrictJSON

/// The merged state as a file that an app imports.
struct InboxOutput {
    let bytes: [UInt8]

    /// Makes the file; what no reader of the format takes is never written.
    ///
    /// - Parameter document: The state as a document of the app's format, in its current version.
    /// - Throws: ``InboxError`` with what the reader finds.
    init(_ format: any InboxFormat, _ document: JSONValue) throws {
        do {
            bytes = try format.encode(document, name: "the merged state")
        } catch let error as UnusableDocument {
            throw InboxError("the merged state cannot be written for the device", error.findings)
        }
    }

    /// Returns the name of the file: one for each app and for each device that writes into the inbox.
    ///
    /// It has the letters and digits of ASCII of the device's name. If the name has others, it has the device's identifier.
    static func name(_ format: any InboxFormat, from device: SyncDevice) -> String {
        let slug = device.name.lowercased().utf8.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                ? byte : UInt8(ascii: "-")
        }
        var parts = String(decoding: slug, as: UTF8.self).split(separator: "-")
        if parts.isEmpty { parts = ["device"] }
        if !device.name.utf8.allSatisfy({ $0 < 128 }) { parts.append(device.id.prefix(4)) }
        return "\(beginning(format))\(parts.joined(separator: "-")).\(format.fileExtension)"
    }

    /// Returns whether a name is one of ours, whichever device wrote it; also that of a copy, such as "Copy of …".
    static func isOwn(_ name: String, _ formats: [any InboxFormat]) -> Bool {
        let words = name.lowercased().split { $0.isWhitespace || "('\"".contains($0) }
        return formats.contains { format in words.contains { $0.hasPrefix(beginning(format).lowercased()) } }
    }

    private static func beginning(_ format: any InboxFormat) -> String { "\(format.filePrefix)-synced-" }
}

/// A merged state that its own format's reader refuses.
public struct InboxError: Error, Sendable, CustomStringConvertible {
    /// The message: what failed.
    public let message: String
    /// The diagnostics of the reader.
    public let diagnostics: [Diagnostic]

    init(_ message: String, _ diagnostics: [Diagnostic]) {
        self.message = message
        self.diagnostics = diagnostics
    }

    /// The message, and what the reader found.
    public var description: String { ([message] + diagnostics.map(\.description)).joined(separator: "\n") }
}
