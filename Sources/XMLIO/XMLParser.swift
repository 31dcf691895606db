internal import CLibXML2
internal import StrictJSON

/// One `xmlParserCtxt` that pushes what it finds to a handler.
///
/// What the library says is taken at once; the first error ends the parsing.
final class XMLParser {
    /// Holds the document against a schema, where there is one.
    var validator: RelaxNGValidator?

    private var context: xmlParserCtxtPtr
    private var handler: (any XMLHandler)?
    /// The positions of the elements that come next, `starts[next]` first.
    private var starts: [TextPosition] = []
    private var next = 0
    private var failure: (any Error)?

    init() throws(XMLError) {
        LibXML.prepare()
        var callbacks = Self.callbacks
        guard let context = xmlCreatePushParserCtxt(&callbacks, nil, nil, 0, nil) else {
            throw XMLError(.library, "libxml2 cannot be set up; there may be too little memory")
        }
        self.context = context
        // The callbacks get this object, which lives longer than the context.
        context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
        let options = Int32(XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_COMPACT.rawValue)
        let left = xmlCtxtUseOptions(context, options)
        guard left == 0 else {
            throw XMLError(.library, "libxml2 on this system lacks an option")
        }
        // Otherwise an '&' in an attribute comes as "&#38;". There are no entities that this could read: the gate keeps
        // every declaration away, and there is no callback to look one up.
        context.pointee.replaceEntities = 1
    }

    deinit {
        // It may hold an element of the document.
        validator = nil
        if let document = context.pointee.myDoc { xmlFreeDoc(document) }
        context.pointee.myDoc = nil
        xmlFreeParserCtxt(context)
    }

    /// Returns the library's copy of a name.
    func name(_ text: String) throws(XMLError) -> XMLName {
        var text = text
        let found = text.withUTF8 { xmlDictLookup(context.pointee.dict, $0.baseAddress, Int32($0.count)) }
        guard let found else { throw XMLError(.library, "libxml2 cannot keep a name; there may be too little memory") }
        return XMLName(bytes: found)
    }

    /// Parses a piece; its elements begin at the given places, which are taken.
    func parse(
        _ bytes: UnsafeBufferPointer<UInt8>,
        starts: inout [TextPosition],
        into handler: any XMLHandler
    ) throws {
        guard !bytes.isEmpty else { return }
        try push(bytes, isLast: false, &starts, handler)
    }

    /// Ends the text.
    func finish(starts: inout [TextPosition], into handler: any XMLHandler) throws {
        try push(UnsafeBufferPointer(start: nil, count: 0), isLast: true, &starts, handler)
    }

    private func push(
        _ bytes: UnsafeBufferPointer<UInt8>,
        isLast: Bool,
        _ starts: inout [TextPosition],
        _ handler: any XMLHandler
    ) throws {
        if next == self.starts.count {
            // The usual case: the two arrays change places, and neither is allocated again.
            self.starts.removeAll(keepingCapacity: true)
            swap(&self.starts, &starts)
            next = 0
        } else {
            self.starts.append(contentsOf: starts)
            starts.removeAll(keepingCapacity: true)
        }
        self.handler = handler
        defer { self.handler = nil }
        let code = bytes.withMemoryRebound(to: CChar.self) {
            xmlParseChunk(context, $0.baseAddress, Int32($0.count), isLast ? 1 : 0)
        }
        if let failure { throw failure }
        guard code == 0 else { throw XMLError(.library, "libxml2 failed with its code \(code)", at: position) }
    }

    private func fail(_ error: any Error) {
        failure = failure ?? error
        xmlStopParser(context)
    }

    /// The position that the library has reached.
    ///
    /// The column is that of the bytes at hand, which may begin behind the line's start.
    private var position: TextPosition {
        guard let input = context.pointee.input?.pointee, let base = input.base, let cur = input.cur else {
            return TextPosition(offset: 0, line: 1, column: 1)
        }
        var start = cur
        var column = 1
        while start > base, start[-1] != UInt8(ascii: "\n") {
            start -= 1
            if start.pointee & 0xC0 != 0x80 { column += 1 }
        }
        let isWhole = start > base || input.consumed == 0
        return TextPosition(
            offset: Int(input.consumed) + (cur - base),
            line: Int(input.line),
            column: isWhole ? column : Int(input.col)
        )
    }
}

// MARK: - Callbacks

extension XMLParser {
    /// Does something with the parser that a callback is of, unless it has failed; what is thrown ends the parsing.
    private static func attempt(_ data: UnsafeMutableRawPointer?, _ body: (XMLParser) throws -> Void) {
        guard let data else { return }
        Unmanaged<XMLParser>.fromOpaque(data)._withUnsafeGuaranteedRef { parser in
            guard parser.failure == nil else { return }
            do { try body(parser) } catch { parser.fail(error) }
        }
    }

    private static var callbacks: xmlSAXHandler {
        var sax = xmlSAXHandler()
        sax.initialized = UInt32(XML_SAX2_MAGIC)
        setElementCallbacks(&sax)
        let characters: charactersSAXFunc = { data, bytes, count in
            guard let bytes, count > 0 else { return }
            XMLParser.attempt(data) { parser in
                try parser.handler?.text(UnsafeBufferPointer(start: bytes, count: Int(count)))
                try parser.validator?.text(parser.context, bytes, count, at: parser.position)
            }
        }
        sax.characters = characters
        // The same function, so that the library does not look for what white space might mean.
        sax.ignorableWhitespace = characters
        sax.cdataBlock = characters
        sax.serror = { data, error in
            guard let error, error.pointee.level != XML_ERR_WARNING else { return }
            XMLParser.attempt(data) { $0.fail($0.error(error)) }
        }
        return sax
    }

    private static func setElementCallbacks(_ sax: inout xmlSAXHandler) {
        sax.startDocument = { data in
            XMLParser.attempt(data) { if $0.validator != nil { xmlSAX2StartDocument($0.context) } }
        }
        sax.startElementNs = { data, name, prefix, uri, namespaceCount, namespaces, count, defaulted, attributes in
            guard let name else { return }
            XMLParser.attempt(data) { parser in
                let place = parser.next < parser.starts.count ? parser.starts[parser.next] : parser.position
                parser.next += 1
                let element = XMLElementStart(
                    name: XMLName(bytes: name),
                    namespace: uri.map(XMLName.init),
                    position: place,
                    attributeCount: Int(count),
                    attributes: attributes
                )
                try parser.handler?.start(element)
                guard let validator = parser.validator else { return }
                xmlSAX2StartElementNs(
                    parser.context,
                    name,
                    prefix,
                    uri,
                    namespaceCount,
                    namespaces,
                    count,
                    defaulted,
                    attributes
                )
                try validator.start(parser.context, at: place)
            }
        }
        sax.endElementNs = { data, name, prefix, uri in
            guard let name else { return }
            XMLParser.attempt(data) { parser in
                try parser.handler?.end(XMLName(bytes: name))
                try parser.validator?.end(parser.context, name, prefix, uri, at: parser.position)
            }
        }
    }

    /// Returns the library's error as one of ours.
    private func error(_ error: UnsafePointer<xmlError>) -> XMLError {
        let found = error.pointee
        let text = LibXML.message(error)
        let code: XMLError.Code
        var message = text
        switch xmlParserErrors(rawValue: xmlParserErrors.RawValue(found.code)) {
        case XML_ERR_TAG_NAME_MISMATCH:
            code = .tag
            if let open = found.str1, let close = found.str2 {
                let (open, close) = (String(cString: open), String(cString: close))
                message = "found '</\(close)>'; expected '</\(open)>', as begun in line \(found.int1)"
            }
        case XML_ERR_ATTRIBUTE_REDEFINED, XML_NS_ERR_ATTRIBUTE_REDEFINED:
            code = .duplicateAttribute
        case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY:
            code = .entity
            message = "\(text); only lt, gt, amp, quot and apos are known, as definitions in a file are not read"
        case XML_ERR_INVALID_CHAR, XML_ERR_INVALID_CHARREF, XML_ERR_INVALID_HEX_CHARREF, XML_ERR_INVALID_DEC_CHARREF:
            code = .character
        case XML_NS_ERR_XML_NAMESPACE, XML_NS_ERR_UNDEFINED_NAMESPACE, XML_NS_ERR_QNAME, XML_NS_ERR_EMPTY,
            XML_NS_ERR_COLON, XML_WAR_NS_URI:
            code = .namespace
        case XML_ERR_DOCUMENT_END: code = .trailing
        case XML_ERR_NAME_TOO_LONG: code = .size
        case XML_ERR_NO_MEMORY: code = .library
        default: code = .syntax
        }
        return XMLError(code, message, at: position)
    }
}
