internal import StrictJSON

extension XMLGate {
    func fail(_ code: XMLError.Code, _ message: String, _ index: Int) -> Step {
        .stop(Failure(code: code, message: message, position: position(index)))
    }

    /// More bytes are needed to tell what this is.
    func short(_ index: Int, _ isLast: Bool) -> Step {
        isLast ? .stop(Failure(code: .truncated, message: Self.truncation, position: position(index))) : .wait
    }

    static let truncation = "the text ends before its root element does; get a complete copy"

    /// The limit that what began at `token` or `run` exceeds with the byte before a place.
    func excess(at index: Int) -> Failure? {
        let place = offset + index
        let (what, limit) =
            switch state {
            case .content: ("a text has", options.textBytes)
            case .startTag, .doubleQuoted, .singleQuoted: ("a start tag has", options.tagBytes)
            case .endTag: ("an end tag has", options.nameBytes)
            case .instruction: ("a processing instruction has", options.textBytes)
            case .comment: ("a comment has", options.textBytes)
            case .section: ("a CDATA section has", options.textBytes)
            case .doctype, .doctypeDouble, .doctypeSingle, .subset, .subsetEnd:
                ("the document type declaration has", options.documentTypeBytes)
            }
        var message: String?
        if place - token.offset > limit { message = "\(what) more than \(limit) bytes, which is the limit" }
        if state == .startTag, place - run > options.nameBytes {
            message = "a name in a tag has more than \(options.nameBytes) bytes, which is the limit"
        }
        if attributes > options.attributeCount {
            message = "an element has more than \(options.attributeCount) attributes, which is the limit"
        }
        return message.map { Failure(code: .size, message: $0, position: token) }
    }
}
