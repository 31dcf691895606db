internal import StrictJSON

extension XMLGate {
    mutating func fail(_ code: XMLError.Code, _ message: String, _ index: Int) -> Step {
        failure = Failure(code: code, message: message, position: position(index))
        return .stop
    }

    /// Returns the step for a piece that is too short to tell what follows.
    mutating func short(_ index: Int, _ isLast: Bool) -> Step {
        isLast ? fail(.truncated, Self.truncation, index) : .wait
    }

    static let truncation = "the text ends before its root element does; get a complete copy"

    /// Tells whether the item that began at `token` or `run` exceeds a limit; sets `failure` if so.
    mutating func exceeds(at index: Int) -> Bool {
        let place = offset + index
        let isNameLong = state == .startTag && place - run > options.nameBytes
        guard place - token.offset > limit || isNameLong || attributes > options.attributeCount else { return false }
        let what =
            if attributes > options.attributeCount {
                "an element has more than \(options.attributeCount) attributes"
            } else if isNameLong {
                "a name in a tag has more than \(options.nameBytes) bytes"
            } else {
                "\(what) has more than \(limit) bytes"
            }
        failure = Failure(code: .size, message: "\(what), which is the limit", position: token)
        return true
    }

    /// The most bytes of what the state is part of.
    private var limit: Int {
        switch state {
        case .content, .instruction, .comment, .section: options.textBytes
        case .startTag, .doubleQuoted, .singleQuoted: options.tagBytes
        case .endTag: options.nameBytes
        case .doctype, .doctypeDouble, .doctypeSingle, .subset, .subsetEnd: options.documentTypeBytes
        }
    }

    /// The name, for messages, of the item that the state belongs to.
    private var what: String {
        switch state {
        case .content: "a text"
        case .instruction: "a processing instruction"
        case .comment: "a comment"
        case .section: "a CDATA section"
        case .startTag, .doubleQuoted, .singleQuoted: "a start tag"
        case .endTag: "an end tag"
        case .doctype, .doctypeDouble, .doctypeSingle, .subset, .subsetEnd: "the document type declaration"
        }
    }
}
