internal import FormatKit
public import StrictJSON

/// A value of the registry, with its place for messages.
struct RegistryNode {
    let node: JSONNode
    private let file: String

    init(_ node: JSONNode, _ file: String) {
        self.node = node
        self.file = file
    }

    /// Returns a member that must be there.
    func member(_ name: String) throws(RegistryError) -> RegistryNode {
        guard let found = node[name] else { throw failure("found no member \"\(name)\", expected one") }
        return RegistryNode(found, file)
    }

    /// Returns a member that may be absent; nil for null too.
    func optional(_ name: String) throws(RegistryError) -> RegistryNode? {
        guard let found = node[name], !found.isNull else { return nil }
        return RegistryNode(found, file)
    }

    /// Returns the members of an object.
    func members() throws(RegistryError) -> [(name: String, value: RegistryNode)] {
        try check(is: .object, "an object")
        return node.members.map { ($0.name, RegistryNode($0.value, file)) }
    }

    /// Returns the elements of an array.
    func array() throws(RegistryError) -> [RegistryNode] {
        try check(is: .array, "an array")
        return node.elements.map { RegistryNode($0, file) }
    }

    /// Returns an absolute path.
    func path() throws(RegistryError) -> String {
        guard let text = node.string, text.hasPrefix("/"), !text.utf8.contains(0) else {
            throw unexpected("an absolute path")
        }
        return text
    }

    /// Returns an identifier of so many characters.
    func identifier(_ count: Int) throws(RegistryError) -> String {
        guard let text = node.string, Identifier.isValid(text, count: count) else {
            throw unexpected("\(count) characters of 0-9 and a-z")
        }
        return text
    }

    /// Returns the name of a space, as the folder's markers may have it.
    func space() throws(RegistryError) -> String {
        guard let text = node.string, (1...64).contains(text.utf8.count),
            Identifier.isValid(text, count: text.utf8.count)
        else { throw unexpected("1 to 64 characters of 0-9 and a-z") }
        return text
    }

    func device() throws(RegistryError) -> SyncDevice {
        try check(is: .object, "an object, a device")
        let name = try member("name")
        guard let text = name.node.string, !text.isBlank else { throw name.unexpected("a name") }
        return SyncDevice(id: try member("id").identifier(16), name: text)
    }

    /// Returns the members that this program does not know.
    func others(than known: Set<String>) -> JSONObject {
        var others = JSONObject()
        for (name, value) in node.members where !known.contains(name) { others[name] = value.value }
        return others
    }

    func check(is kind: JSONNode.Kind, _ expected: String) throws(RegistryError) {
        guard node.kind == kind else { throw unexpected(expected) }
    }

    /// Returns the error for a value that is not the expected one.
    func unexpected(_ expected: String) -> RegistryError {
        let found =
            switch node.kind {
            case .object: "an object"
            case .array: "an array"
            default: Self.cut(node.value.text(.compact))
            }
        return failure("found \(found), expected \(expected)")
    }

    private static func cut(_ text: String) -> String { text.count > 60 ? "\(text.prefix(59))…" : text }

    /// Returns the error for a fault at this place.
    func failure(_ message: String) -> RegistryError {
        RegistryError(
            Diagnostic(
                code: "foldersync.registry",
                message: message,
                file: file,
                position: node.position,
                pointer: node.pointer
            )
        )
    }
}

/// A list of joined folders that cannot be read: damaged, or of a newer program.
public struct RegistryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem with its place.
    public let diagnostic: Diagnostic
    /// True if a newer program wrote the list; else it is damaged.
    package var isNewer = false

    init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }

    /// The problem in one line.
    public var description: String { diagnostic.description }
}
