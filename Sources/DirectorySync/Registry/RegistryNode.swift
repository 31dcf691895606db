internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// A value of the registry, with its place for messages.
struct RegistryNode {
    let node: JSONNode
    private let file: String

    init(_ node: JSONNode, _ file: String) {
        self.node = node
        self.file = file
    }

    /// A member that has to be there.
    func member(_ name: String) throws(CommandFailure) -> RegistryNode {
        guard let found = node[name] else { throw failure("found no member \"\(name)\", expected one") }
        return RegistryNode(found, file)
    }

    /// A member that need not be there; null is as good as none.
    func optional(_ name: String) throws(CommandFailure) -> RegistryNode? {
        guard let found = node[name], !found.isNull else { return nil }
        return RegistryNode(found, file)
    }

    /// The members.
    func members() throws(CommandFailure) -> [(name: String, value: RegistryNode)] {
        try check(is: .object, "an object")
        return node.members.map { ($0.name, RegistryNode($0.value, file)) }
    }

    /// The elements.
    func array() throws(CommandFailure) -> [RegistryNode] {
        try check(is: .array, "an array")
        return node.elements.map { RegistryNode($0, file) }
    }

    /// An absolute path.
    func path() throws(CommandFailure) -> String {
        guard let text = node.string, text.hasPrefix("/"), !text.utf8.contains(0) else {
            throw unexpected("an absolute path")
        }
        return text
    }

    /// An identifier of as many characters.
    func identifier(_ count: Int) throws(CommandFailure) -> String {
        guard let text = node.string, Identifier.isValid(text, count: count) else {
            throw unexpected("\(count) characters of 0-9 and a-z")
        }
        return text
    }

    /// The name of a space: as the folder's markers may have it.
    func space() throws(CommandFailure) -> String {
        guard let text = node.string, (1...64).contains(text.utf8.count),
            Identifier.isValid(text, count: text.utf8.count)
        else { throw unexpected("1 to 64 characters of 0-9 and a-z") }
        return text
    }

    func device() throws(CommandFailure) -> SyncDevice {
        try check(is: .object, "an object, a device")
        let name = try member("name")
        guard let text = name.node.string, !Words.isBlank(text) else { throw name.unexpected("a name") }
        return SyncDevice(id: try member("id").identifier(16), name: text)
    }

    /// The members that this program does not know.
    func others(than known: Set<String>) -> JSONObject {
        var others = JSONObject()
        for (name, value) in node.members where !known.contains(name) { others[name] = value.value }
        return others
    }

    func check(is kind: JSONNode.Kind, _ expected: String) throws(CommandFailure) {
        guard node.kind == kind else { throw unexpected(expected) }
    }

    /// A value that is not the expected one.
    func unexpected(_ expected: String) -> CommandFailure {
        let found =
            switch node.kind {
            case .object: "an object"
            case .array: "an array"
            default: TerminalText.cut(node.value.text(.compact), to: 60)
            }
        return failure("found \(found), expected \(expected)")
    }

    /// A fault at this place.
    func failure(_ message: String) -> CommandFailure {
        CommandFailure(
            .badData,
            diagnostics: [
                Diagnostic(
                    code: "foldersync.registry",
                    message: message,
                    file: file,
                    position: node.position,
                    pointer: node.pointer
                )
            ]
        )
    }
}
