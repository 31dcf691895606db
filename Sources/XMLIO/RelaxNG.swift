internal import CLibXML2
internal import StrictJSON

/// A RELAX NG schema, compiled.
///
/// Documents are held against it while they are read. That takes memory for an element with all that is in it where the
/// element's content is `interleave`, or anything else that is not told apart by the next element's name; so the elements
/// that hold long lists should not be of that kind.
package final class RelaxNGSchema {
    let schema: xmlRelaxNGPtr

    /// Compiles a schema in XML syntax.
    ///
    /// It may include no other file.
    ///
    /// - Throws: What the text is not as XML, or `xml.schema` with what it is not as a schema.
    package init(_ bytes: [UInt8]) throws {
        final class Nothing: XMLHandler { func start(_ element: borrowing XMLElementStart) {} }
        try XMLReader().read(bytes, into: Nothing())
        let faults = LibraryFaults()
        // The bytes must be there until the parsing has ended.
        let compiled = try bytes.withUnsafeBytes { bytes throws(XMLError) -> xmlRelaxNGPtr? in
            let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard let context = xmlRelaxNGNewMemParserCtxt(text, Int32(clamping: bytes.count)) else {
                throw XMLError(.library, "libxml2 cannot be set up for a schema")
            }
            defer { xmlRelaxNGFreeParserCtxt(context) }
            let data = Unmanaged.passUnretained(faults).toOpaque()
            xmlRelaxNGSetParserStructuredErrors(context, LibraryFaults.receive, data)
            return withExtendedLifetime(faults) { xmlRelaxNGParse(context) }
        }
        guard let compiled else {
            let first = faults.found.first
            throw XMLError(
                .schema,
                "this is no RELAX NG schema: \(first?.message ?? "libxml2 does not say why")",
                at: first.flatMap { $0.line > 0 ? TextPosition(offset: 0, line: $0.line, column: 1) : nil }
            )
        }
        schema = compiled
    }

    deinit { xmlRelaxNGFree(schema) }
}

/// The faults that the library reported since they were last taken.
final class LibraryFaults {
    var found: [(message: String, line: Int)] = []

    static let receive: xmlStructuredErrorFunc = { data, error in
        guard let data, let error else { return }
        let faults = Unmanaged<LibraryFaults>.fromOpaque(data).takeUnretainedValue()
        guard faults.found.count < 100 else { return }
        faults.found.append((LibXML.message(error), Int(error.pointee.line)))
    }
}

/// One `xmlRelaxNGValidCtxt`, which is told of elements as they come.
///
/// Of the tree that the library wants there are only the open elements, and what is in one whose content cannot be
/// validated step by step.
final class RelaxNGValidator {
    private let schema: RelaxNGSchema
    private let context: xmlRelaxNGValidCtxtPtr
    private let report: (XMLError) throws -> Void
    private let faults = LibraryFaults()
    /// The element that is kept whole, and where it begins.
    private var whole: (node: xmlNodePtr, start: TextPosition)?
    /// The element that the library was told of last, of which its messages speak until it is told of another.
    private var last: xmlNodePtr?
    /// True if that element has ended, and is in no tree any more.
    private var isLastFree = false
    private var hasFault = false
    /// True if the text since the last tag was reported.
    private var hasText = false

    init(_ schema: RelaxNGSchema, _ report: @escaping (XMLError) throws -> Void) throws(XMLError) {
        guard let context = xmlRelaxNGNewValidCtxt(schema.schema) else {
            throw XMLError(.library, "libxml2 cannot be set up for a schema")
        }
        self.schema = schema
        self.context = context
        self.report = report
        let data = Unmanaged.passUnretained(faults).toOpaque()
        xmlRelaxNGSetValidStructuredErrors(context, LibraryFaults.receive, data)
    }

    /// The parser's document must still be there.
    deinit {
        xmlRelaxNGFreeValidCtxt(context)
        if isLastFree { xmlFreeNode(last) }
    }

    /// Begins the parser's current element.
    func start(_ parser: xmlParserCtxtPtr, at place: TextPosition) throws {
        hasText = false
        guard whole == nil, let node = parser.pointee.node else { return }
        let code = xmlRelaxNGValidatePushElement(context, parser.pointee.myDoc, node)
        if isLastFree { xmlFreeNode(last) }
        (last, isLastFree) = (node, false)
        if code == 0 { whole = (node, place) } else { try check(code, at: place) }
    }

    /// Adds text to the current element.
    func text(_ parser: xmlParserCtxtPtr, _ bytes: UnsafePointer<UInt8>, _ count: Int32, at place: TextPosition) throws
    {
        if whole != nil { return xmlSAX2Characters(parser, bytes, count) }
        let isBlank = (0..<Int(count)).allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains(bytes[$0]) }
        guard !hasText, !isBlank else { return }
        hasText = true
        try check(xmlRelaxNGValidatePushCData(context, "text", 4), at: place)
    }

    /// Ends the parser's current element.
    func end(
        _ parser: xmlParserCtxtPtr,
        _ name: UnsafePointer<UInt8>,
        _ prefix: UnsafePointer<UInt8>?,
        _ uri: UnsafePointer<UInt8>?,
        at place: TextPosition
    ) throws {
        hasText = false
        guard let node = parser.pointee.node else { return }
        xmlSAX2EndElementNs(parser, name, prefix, uri)
        if let element = whole {
            guard element.node == node else { return }
            whole = nil
            try check(xmlRelaxNGValidateFullElement(context, parser.pointee.myDoc, node), at: element.start)
        } else {
            try check(xmlRelaxNGValidatePopElement(context, parser.pointee.myDoc, node), at: place)
        }
        // The root is the document's.
        guard parser.pointee.node != nil else { return }
        xmlUnlinkNode(node)
        if node == last { isLastFree = true } else { xmlFreeNode(node) }
    }

    private func check(_ code: Int32, at place: TextPosition) throws {
        let found = faults.found
        faults.found.removeAll()
        // What has no message of its own follows from a fault before it, of which there is one.
        guard code != 1, !found.isEmpty || !hasFault else { return }
        hasFault = true
        let messages = found.isEmpty ? ["this does not match the schema"] : found.map(\.message)
        for message in messages { try report(XMLError(.invalid, message, at: place)) }
    }
}
