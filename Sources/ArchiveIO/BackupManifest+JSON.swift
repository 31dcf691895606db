internal import Crypto
internal import StrictJSON

extension BackupManifest {
    /// The manifest as it stands in an archive: indented, with its digest.
    public var encoded: [UInt8] { signed.encoded(.indented) }

    /// The manifest as JSON with its digest.
    private var signed: JSONValue {
        var object = JSONObject()
        object["format"] = .string(format.name)
        object["version"] = .number(format.version)
        object["createdAt"] = createdAt.map(JSONValue.string)
        object["generator"] = generator.map(JSONValue.string)
        object["files"] = .array(files.map(\.json))
        for member in extra where !Self.known.contains(member.name) { object[member.name] = member.value }
        object["digest"] = .string(Self.digest(of: object))
        return .object(object)
    }

    private static let known: Set<String> = ["format", "version", "createdAt", "generator", "files", "digest"]

    /// Returns the SHA-256 of the canonical form (RFC 8785) of the manifest without its `digest`.
    static func digest(of object: JSONObject) -> String {
        var object = object
        object["digest"] = nil
        return SHA256.hash(data: JSONValue.object(object).encoded(.canonical)).hexadecimal
    }

    /// Reads a manifest.
    ///
    /// - Throws: A code that begins with `manifest.` for each thing that can be wrong with it.
    public init(parsing bytes: [UInt8], as formats: [BackupFormat]) throws(ArchiveError) {
        let root = try Self.parse(bytes)
        let format = try Self.format(of: root, among: formats)
        guard let digest = root["digest"]?.string else { throw Self.invalid("/digest", "a string of 64 digits") }
        guard Self.digest(of: root) == digest else {
            let message = "the manifest was changed or damaged: it is not what its digest was taken of"
            throw ArchiveError(.manifestDigest, message, entry: Self.entryName)
        }
        self.init(format: format)
        createdAt = try Self.optionalString(root, "createdAt")
        generator = try Self.optionalString(root, "generator")
        guard let list = root["files"]?.array else { throw Self.invalid("/files", "an array") }
        var register = NameRegister()
        for (index, value) in list.enumerated() {
            let file = try File(value, at: "/files/\(index)")
            do throws(ArchiveError) {
                try EntryName.check(plain: file.path, limits: ArchiveLimits())
                try register.insert(file.path)
                guard file.path != Self.entryName else {
                    throw ArchiveError(.manifestPath, "the manifest lists itself")
                }
            } catch {
                throw ArchiveError(.manifestPath, "a path may not be listed: \(error.message)", entry: file.path)
            }
            files.append(file)
        }
        extra = root.without(Self.known)
    }

    private static func parse(_ bytes: [UInt8]) throws(ArchiveError) -> JSONObject {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument(parsing: bytes).root.value
        } catch {
            let message = "the manifest is not read: \(error.message) (line \(error.position.line))"
            throw ArchiveError(.manifestSyntax, message, entry: entryName, cause: error)
        }
        guard let object = root.object else { throw invalid("", "an object") }
        return object
    }

    private static func format(of root: JSONObject, among formats: [BackupFormat]) throws(ArchiveError) -> BackupFormat
    {
        let names = formats.map(\.name).joined(separator: " or ")
        guard let name = root["format"]?.string else { throw invalid("/format", "the string \(names)") }
        guard let format = formats.first(where: { $0.name.hasSameScalars(as: name) }) else {
            let message = "the archive is of the format \(quoted(name)), not \(names)"
            throw ArchiveError(.manifestFormat, message, entry: entryName)
        }
        guard let version = root["version"]?.int, version > 0 else {
            throw ArchiveError(.manifestVersion, "the version is no positive integer", entry: entryName)
        }
        guard version <= format.version else {
            let message =
                "the archive is \(name) version \(version), and this program knows up to \(format.version);"
                + " update the program"
            throw ArchiveError(.manifestNewer, message, entry: entryName)
        }
        return BackupFormat(name: format.name, version: version)
    }

    static func invalid(_ pointer: String, _ expected: String) -> ArchiveError {
        let message = "the manifest should have \(expected) at \(pointer.isEmpty ? "its top level" : pointer)"
        return ArchiveError(.manifestMember, message, entry: entryName)
    }

    private static func optionalString(_ object: JSONObject, _ name: String) throws(ArchiveError) -> String? {
        guard let value = object[name] else { return nil }
        guard let string = value.string else { throw invalid("/\(name)", "a string") }
        return string
    }
}

extension BackupManifest.File {
    private static let known: Set<String> = ["path", "role", "size", "sha256", "counts"]

    fileprivate var json: JSONValue {
        var object = JSONObject()
        object["path"] = .string(path)
        object["role"] = .string(role)
        object["size"] = .number(size)
        object["sha256"] = .string(sha256)
        if let counts {
            var tables = JSONObject()
            for count in counts { tables[count.table] = .number(count.records) }
            object["counts"] = .object(tables)
        }
        for member in extra where !Self.known.contains(member.name) { object[member.name] = member.value }
        return .object(object)
    }

    fileprivate init(_ value: JSONValue, at pointer: String) throws(ArchiveError) {
        guard let object = value.object else { throw BackupManifest.invalid(pointer, "an object") }
        guard let path = object["path"]?.string else { throw BackupManifest.invalid("\(pointer)/path", "a string") }
        guard let role = object["role"]?.string else { throw BackupManifest.invalid("\(pointer)/role", "a string") }
        guard let size = object["size"]?.int, size >= 0 else {
            throw BackupManifest.invalid("\(pointer)/size", "an integer from 0 on")
        }
        let digits = Set("0123456789abcdef".utf8)
        guard let sha256 = object["sha256"]?.string, sha256.utf8.count == 64, sha256.utf8.allSatisfy(digits.contains)
        else {
            throw BackupManifest.invalid("\(pointer)/sha256", "64 lower-case hexadecimal digits")
        }
        (self.path, self.role, self.size, self.sha256) = (path, role, size, sha256)
        if let value = object["counts"] {
            guard let tables = value.object else { throw BackupManifest.invalid("\(pointer)/counts", "an object") }
            var counts: [BackupManifest.Count] = []
            for table in tables {
                guard let records = table.value.int, records >= 0 else {
                    throw BackupManifest.invalid("\(pointer)/counts", "integers from 0 on")
                }
                counts.append(BackupManifest.Count(table: table.name, records: records))
            }
            self.counts = counts
        }
        extra = object.without(Self.known)
    }
}

extension JSONObject {
    fileprivate func without(_ names: Set<String>) -> JSONObject {
        var rest = JSONObject()
        for member in self where !names.contains(member.name) { rest[member.name] = member.value }
        return rest
    }
}

extension Digest {
    /// The digest in lower-case hexadecimal digits.
    var hexadecimal: String { Hex.text(self) }
}

extension BackupManifest {
    /// Returns the format that a text claims to be the manifest of; nil where it is no such text.
    static func claimedFormat(_ bytes: [UInt8]) -> String? {
        (try? JSONDocument(parsing: bytes))?.root["format"]?.string
    }

    /// Returns the fault of a text that has the manifest's name; nil where it is a manifest, or that of another tool.
    ///
    /// A manifest of another tool is an object with neither a list of files nor a digest.
    static func fault(in bytes: [UInt8], as formats: [BackupFormat]) -> ArchiveError? {
        if let root = (try? JSONDocument(parsing: bytes))?.root, root.value.object != nil, root["files"] == nil,
            root["digest"] == nil
        {
            return nil
        }
        do throws(ArchiveError) {
            _ = try BackupManifest(parsing: bytes, as: formats)
            return nil
        } catch {
            return error
        }
    }
}
