internal import CLibYAML

/// A line and a column from 1, the column in code points, as libyaml tells them.
struct YAMLPlace {
    let line: Int
    let column: Int

    init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

    init(_ mark: yaml_mark_t) {
        line = Int(clamping: mark.line) + 1
        column = Int(clamping: mark.column) + 1
    }
}

/// The tag of a node, as its full name.
struct YAMLTag: Hashable {
    let name: String

    /// No tag.
    static let implicit = YAMLTag(name: "")
    /// The tag `!`.
    static let nonSpecific = YAMLTag(name: "!")
    static let str = standard("str")
    static let null = standard("null")
    static let bool = standard("bool")
    static let int = standard("int")
    static let float = standard("float")
    static let seq = standard("seq")
    static let map = standard("map")

    private static let prefix = "tag:yaml.org,2002:"
    private static func standard(_ name: String) -> YAMLTag { YAMLTag(name: prefix + name) }

    /// The tag as people write it.
    var short: String { name.hasPrefix(Self.prefix) ? "!!" + name.dropFirst(Self.prefix.count) : name }
}

/// The reasons why a text is not YAML.
enum YAMLFault: Error {
    case syntax(String, context: (text: String, place: YAMLPlace)?, YAMLPlace)
    /// A character that YAML does not have, by its place in bytes; nil for bytes that are none.
    case character(String, offset: Int, code: UInt32?)
    case duplicateKey(String, YAMLPlace, again: YAMLPlace)
    case aliasKey(YAMLPlace)
    case depth(YAMLPlace)
    case memory
}

/// Reads YAML texts into nodes by libyaml.
///
/// Nodes refer to each other by their numbers: an alias is the number of its anchor's node, and nodes that hold each
/// other, as deep as a text is long, are freed without recursion.
final class YAMLNodes {
    struct Node {
        enum Content {
            case scalar(String, isPlain: Bool)
            case sequence([Int])
            case mapping([(key: Int, value: Int)])
        }

        fileprivate(set) var content: Content
        fileprivate(set) var tag: YAMLTag
        let place: YAMLPlace
    }

    /// The deepest nodes, as reading each takes a part of the stack; older versions of libyaml have no limit.
    static let deepest = 1000

    private let text: [UInt8]
    private var depth = 0
    private var parser = yaml_parser_t()
    private var nodes: [Node] = []
    private var anchors: [String: Int] = [:]

    init(_ text: [UInt8]) throws(YAMLFault) {
        self.text = text
        guard yaml_parser_initialize(&parser) == 1 else { throw .memory }
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input(
            &parser,
            { reader, buffer, size, count in
                guard let reader, let buffer, let count else { return 0 }
                let nodes = Unmanaged<YAMLNodes>.fromOpaque(reader).takeUnretainedValue()
                count.pointee = nodes.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
                return 1
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        // The beginning of the stream.
        _ = try next()
    }

    deinit { yaml_parser_delete(&parser) }

    private var offset = 0

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, text.count - offset)
        buffer.copyBytes(from: text[offset..<offset + count])
        offset += count
        return count
    }

    subscript(_ number: Int) -> Node { nodes[number] }

    /// Reads the next document; returns the number of its node, nil at the end.
    func nextDocument() throws(YAMLFault) -> Int? {
        guard parser.stream_end_produced == 0, case .document = try next() else { return nil }
        let root = try node(try next())
        // The end of the document.
        _ = try next()
        return root
    }

    // MARK: Events

    private enum Event {
        case alias(String, YAMLPlace)
        /// A node, with what is in it still to come.
        case node(Node, anchor: String?)
        case document
        /// The end of a node, of a document or of the text.
        case end
    }

    private func next() throws(YAMLFault) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { throw fault() }
        defer { yaml_event_delete(&event) }
        let place = YAMLPlace(event.start_mark)
        func node(_ content: Node.Content, _ tag: YAMLTag, _ anchor: UnsafePointer<UInt8>?) -> Event {
            .node(Node(content: content, tag: tag, place: place), anchor: Self.string(anchor))
        }
        switch event.type {
        case YAML_ALIAS_EVENT: return .alias(Self.string(event.data.alias.anchor) ?? "", place)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            let tag = scalar.quoted_implicit == 1 ? .str : Self.tag(scalar.tag)
            return node(.scalar(text, isPlain: isPlain), tag, scalar.anchor)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return node(.sequence([]), start.implicit != 0 ? .implicit : Self.tag(start.tag), start.anchor)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return node(.mapping([]), start.implicit != 0 ? .implicit : Self.tag(start.tag), start.anchor)
        case YAML_DOCUMENT_START_EVENT: return .document
        default: return .end
        }
    }

    private static func string(_ text: UnsafePointer<UInt8>?) -> String? {
        text.map { String(decodingCString: $0, as: UTF8.self) }
    }

    private static func tag(_ text: UnsafePointer<UInt8>?) -> YAMLTag { string(text).map(YAMLTag.init) ?? .implicit }

    private func fault() -> YAMLFault {
        let problem = parser.problem.map { String(cString: $0) } ?? "the text is no YAML"
        switch parser.error {
        case YAML_MEMORY_ERROR: return .memory
        case YAML_READER_ERROR:
            let code = UInt32(exactly: parser.problem_value)
            return .character(problem, offset: min(Int(clamping: parser.problem_offset), text.count), code: code)
        default:
            let context = parser.context.map { (String(cString: $0), YAMLPlace(parser.context_mark)) }
            return .syntax(problem, context: context, YAMLPlace(parser.problem_mark))
        }
    }

    // MARK: Nodes

    /// Makes the node that begins with an event.
    private func node(_ event: Event) throws(YAMLFault) -> Int {
        switch event {
        case .alias(let name, let place):
            guard let number = anchors[name] else { throw .syntax("found undefined alias", context: nil, place) }
            return number
        case .node(var node, let anchor):
            guard depth < Self.deepest else { throw .depth(node.place) }
            depth += 1
            defer { depth -= 1 }
            switch node.content {
            case .scalar: break
            case .sequence: node.content = .sequence(try elements())
            case .mapping: node.content = .mapping(try members())
            }
            nodes.append(node)
            if let anchor { anchors[anchor] = nodes.count - 1 }
            return nodes.count - 1
        case .document, .end:
            throw .syntax("found the end, expected a value", context: nil, YAMLPlace(parser.mark))
        }
    }

    private func elements() throws(YAMLFault) -> [Int] {
        var elements: [Int] = []
        while true {
            let event = try next()
            if case .end = event { return elements }
            elements.append(try node(event))
        }
    }

    private func members() throws(YAMLFault) -> [(key: Int, value: Int)] {
        var members: [(key: Int, value: Int)] = []
        while true {
            let event = try next()
            if case .end = event { break }
            members.append((try key(event), try node(try next())))
        }
        try checkKeys(members.map(\.key))
        return members
    }

    /// Makes the node of a key: a text, unless it has a tag.
    private func key(_ event: Event) throws(YAMLFault) -> Int {
        // Comparing keys takes as long as what aliases stand for.
        if case .alias(_, let place) = event { throw .aliasKey(place) }
        let number = try node(event)
        guard case .scalar = nodes[number].content else { return number }
        if [.implicit, .nonSpecific].contains(nodes[number].tag) { nodes[number].tag = .str }
        return number
    }

    /// Refuses a text that is a key more than once.
    private func checkKeys(_ keys: [Int]) throws(YAMLFault) {
        var first: [YAMLTag: [String: Int]] = [:]
        var double: (text: String, key: Int, again: Int)?
        for key in keys {
            guard case .scalar(let text, _) = nodes[key].content else { continue }
            guard let known = first[nodes[key].tag, default: [:]].updateValue(key, forKey: text) else { continue }
            first[nodes[key].tag]?[text] = known
            if double.map({ text < $0.text }) ?? true { double = (text, known, key) }
        }
        guard let double else { return }
        throw .duplicateKey(double.text, nodes[double.key].place, again: nodes[double.again].place)
    }
}
