internal import StrictJSON

/// Goes over the bytes before the library sees them.
///
/// It knows just enough of XML to tell tags, their attributes, texts and comments apart. So what would make the library
/// slow or large never gets there: a million attributes, an endless name, deep nesting, a document type declaration with
/// all that it may define. It checks UTF-8 and characters, and notes where each element begins, in one pass. Whether the
/// text is well-formed is left to the library.
struct XMLGate {
    /// The states of the gate: the item that the next byte belongs to.
    enum State {
        case content, startTag, doubleQuoted, singleQuoted, endTag
        case instruction, comment, section
        /// In `<!DOCTYPE`, before its `[`, and in a quoted part there.
        case doctype, doctypeDouble, doctypeSingle
        /// Behind the `[`, and behind a `]` there.
        case subset, subsetEnd
    }

    /// The reason why the bytes from a place on are not passed.
    struct Failure {
        var code: XMLError.Code
        var message: String
        var position: TextPosition
        /// True if the failure is a NUL, so that it depends on what follows.
        var isNUL = false
    }

    let options: XMLOptions
    var state = State.content
    private(set) var depth = 0
    /// True if a start tag has passed.
    private(set) var hasRoot = false
    /// Control characters that became spaces, and where the first was.
    var replaced = 0
    var firstReplaced: TextPosition?
    /// The positions of the elements that have passed; whoever takes them removes them.
    var starts: [TextPosition] = []

    /// The failure after which nothing more is passed.
    var failure: Failure?
    private var hasDoctype = false
    /// The offset of the piece that is gone over.
    var offset = 0
    private var line = 1
    private var lineStart = 0
    /// The bytes of the line so far that begin no character.
    var continuations = 0
    /// The position where the tag, comment or text began.
    var token = TextPosition(offset: 0, line: 1, column: 1)
    /// The offset of the last quote, or of the tag.
    var run = 0
    var attributes = 0
    /// The last two bytes of the piece before.
    private var tail: (UInt8, UInt8) = (0, 0)

    init(_ options: XMLOptions) { self.options = options }

    /// Begins behind a byte order mark.
    mutating func skipByteOrderMark(_ count: Int) { (offset, lineStart) = (count, count) }

    /// True if the text may end here.
    var isComplete: Bool { state == .content && depth == 0 && hasRoot }
    /// True if only white space has passed.
    var isBlank: Bool { state == .content && !hasRoot && token.offset == 0 }
    /// The position where the next piece begins.
    var end: TextPosition { position(0) }

    func position(_ index: Int) -> TextPosition {
        TextPosition(offset: offset + index, line: line, column: offset + index - lineStart - continuations + 1)
    }

    // MARK: Going on

    /// Small, as it is made at each stop; what is wrong is left in `failure`.
    enum Step { case on, wait, stop }

    /// Goes over a piece, replacing what the library is not to see.
    ///
    /// - Returns: How many of its bytes may be passed. The rest comes again at the start of the next piece, unless there is
    ///   a failure.
    mutating func scan(
        _ piece: UnsafeMutableBufferPointer<UInt8>,
        isLast: Bool
    ) -> (passed: Int, failure: Failure?) {
        var index = 0
        ByteClass.table.withUnsafeBufferPointer { classes in
            while true {
                let stops = self.stops
                let begin = index
                while index < piece.count, classes[Int(piece[index])] & stops == 0 { index += 1 }
                if isSkipping { Self.blank(piece, begin..<index) }
                guard index < piece.count else { break }
                let place = index
                guard step(piece, &index, isLast) == .on else { break }
                if isSkipping { Self.blank(piece, place..<index) }
            }
        }
        if failure == nil { _ = exceeds(at: index) }
        if index > 0 { tail = (byte(piece, before: index, by: 2), piece[index - 1]) }
        offset += index
        return (index, failure)
    }

    /// The classes of the bytes that the present state must look at.
    private var stops: UInt8 {
        switch state {
        case .content: depth == 0 ? ByteClass.mark | ByteClass.odd : ByteClass.less | ByteClass.odd
        case .startTag: ByteClass.less | ByteClass.greater | ByteClass.double | ByteClass.single | ByteClass.odd
        case .doubleQuoted: ByteClass.double | ByteClass.less | ByteClass.odd
        case .singleQuoted: ByteClass.single | ByteClass.less | ByteClass.odd
        case .endTag: ByteClass.greater | ByteClass.less | ByteClass.odd
        case .instruction, .comment, .section: ByteClass.greater | ByteClass.odd
        case .doctype:
            ByteClass.less | ByteClass.greater | ByteClass.double | ByteClass.single | ByteClass.bracket | ByteClass.odd
        case .doctypeDouble: ByteClass.double | ByteClass.odd
        case .doctypeSingle: ByteClass.single | ByteClass.odd
        case .subset: ByteClass.bracket | ByteClass.odd
        case .subsetEnd: ByteClass.mark | ByteClass.odd
        }
    }

    private var isSkipping: Bool {
        switch state {
        case .doctype, .doctypeDouble, .doctypeSingle, .subset, .subsetEnd: true
        default: false
        }
    }

    private static func blank(_ piece: UnsafeMutableBufferPointer<UInt8>, _ range: Range<Int>) {
        for index in range where piece[index] != UInt8(ascii: "\n") { piece[index] = UInt8(ascii: " ") }
    }

    private func byte(_ piece: UnsafeMutableBufferPointer<UInt8>, before index: Int, by count: Int) -> UInt8 {
        if index >= count { return piece[index - count] }
        return count - index == 1 ? tail.1 : tail.0
    }

    private mutating func step(
        _ piece: UnsafeMutableBufferPointer<UInt8>,
        _ index: inout Int,
        _ isLast: Bool
    ) -> Step {
        // First of all, so that it does not depend on the pieces what is found.
        guard !exceeds(at: index) else { return .stop }
        let byte = piece[index]
        if byte == UInt8(ascii: "\n") {
            index += 1
            (line, lineStart, continuations) = (line + 1, offset + index, 0)
            return .on
        }
        if byte >= 0x80 { return character(piece, &index, isLast) }
        if byte < 0x20 { return control(piece, &index, length: 1) }
        switch state {
        case .content: return open(piece, &index, isLast)
        case .startTag, .doubleQuoted, .singleQuoted, .endTag: return tag(piece, &index)
        case .instruction, .comment, .section: return markup(piece, &index)
        case .doctype, .doctypeDouble, .doctypeSingle, .subset, .subsetEnd: return doctype(piece, &index)
        }
    }

    // MARK: Markup

    private mutating func open(
        _ piece: UnsafeMutableBufferPointer<UInt8>,
        _ index: inout Int,
        _ isLast: Bool
    ) -> Step {
        guard piece[index] == UInt8(ascii: "<") else {
            let what = "found '\(Unicode.Scalar(piece[index]))'"
            return hasRoot
                ? fail(.trailing, "\(what) behind the root element; expected the end", index)
                : fail(.syntax, "\(what); expected '<', as XML begins with", index)
        }
        let rest = UnsafeBufferPointer(rebasing: piece[(index + 1)...])
        guard let first = rest.first else { return short(index, isLast) }
        var (next, length) = (State.startTag, 1)
        switch first {
        case UInt8(ascii: "/"): (next, length) = (.endTag, 2)
        case UInt8(ascii: "?"): (next, length) = (.instruction, 2)
        case UInt8(ascii: "!"):
            let kinds: [(String, State)] = [("!--", .comment), ("![CDATA[", .section), ("!DOCTYPE", .doctype)]
            if let kind = kinds.first(where: { rest.starts(with: $0.0.utf8) }) {
                (next, length) = (kind.1, 1 + kind.0.utf8.count)
            } else if kinds.contains(where: { $0.0.utf8.starts(with: rest) }) {
                return short(index, isLast)
            } else {
                return fail(.syntax, "found '<!'; expected a comment, a CDATA section or '<!DOCTYPE'", index)
            }
        default: break
        }
        token = position(index)
        if next == .doctype {
            guard options.documentType == .skipped else {
                let message = "the text has a document type declaration; such a file is not read, remove it"
                return fail(.doctype, message, index)
            }
            guard !hasRoot, !hasDoctype else { return fail(.syntax, "a second or late '<!DOCTYPE'", index) }
            hasDoctype = true
        }
        (state, attributes, run) = (next, 0, offset + index)
        index += length
        return .on
    }

    private mutating func tag(_ piece: UnsafeMutableBufferPointer<UInt8>, _ index: inout Int) -> Step {
        let byte = piece[index]
        let isQuoted = state == .doubleQuoted || state == .singleQuoted
        if byte == UInt8(ascii: "<") {
            let what = isQuoted ? "in an attribute's value; expected '&lt;' or a quote" : "in a tag; expected '>'"
            return fail(.syntax, "found '<' \(what)", index)
        }
        switch byte {
        case UInt8(ascii: ">"):
            if state == .endTag {
                depth = max(0, depth - 1)
            } else {
                starts.append(token)
                hasRoot = true
                if self.byte(piece, before: index, by: 1) != UInt8(ascii: "/") { depth += 1 }
                guard depth <= options.depth else {
                    failure = Failure(
                        code: .depth,
                        message: "nested deeper than \(options.depth) levels",
                        position: token
                    )
                    return .stop
                }
            }
            close(index)
        case _ where isQuoted: state = .startTag
        default:
            attributes += 1
            state = byte == UInt8(ascii: "\"") ? .doubleQuoted : .singleQuoted
        }
        index += 1
        run = offset + index
        return .on
    }

    /// Handles a '>' that may end an instruction, a comment or a CDATA section.
    private mutating func markup(_ piece: UnsafeMutableBufferPointer<UInt8>, _ index: inout Int) -> Step {
        let last = byte(piece, before: index, by: 1)
        let both = last == byte(piece, before: index, by: 2)
        let length = offset + index - token.offset
        let isEnd =
            switch state {
            case .instruction: last == UInt8(ascii: "?") && length >= 3
            case .comment: last == UInt8(ascii: "-") && both && length >= 6
            default: last == UInt8(ascii: "]") && both && length >= 11
            }
        if isEnd {
            close(index)
        } else if state == .comment, length < 6 {
            // "<!-->" begins a comment, and libxml2 takes it for a whole one where the piece ends before the rest.
            piece[index] = UInt8(ascii: " ")
        }
        index += 1
        return .on
    }

    private mutating func doctype(_ piece: UnsafeMutableBufferPointer<UInt8>, _ index: inout Int) -> Step {
        let byte = piece[index]
        switch (state, byte) {
        case (.doctype, UInt8(ascii: "<")): return fail(.syntax, "found '<' in '<!DOCTYPE'; expected '>'", index)
        case (.doctype, UInt8(ascii: "\"")): state = .doctypeDouble
        case (.doctype, UInt8(ascii: "'")): state = .doctypeSingle
        case (.doctype, UInt8(ascii: "[")): state = .subset
        case (.doctypeDouble, _), (.doctypeSingle, _): state = .doctype
        case (.subset, UInt8(ascii: "]")): state = .subsetEnd
        case (.subsetEnd, UInt8(ascii: "]")): break
        case (.doctype, UInt8(ascii: ">")), (.subsetEnd, UInt8(ascii: ">")):
            piece[index] = UInt8(ascii: " ")
            close(index)
        case (.subsetEnd, _): state = .subset
        default: break
        }
        index += 1
        return .on
    }

    /// Ends the present item, so that content follows.
    private mutating func close(_ index: Int) {
        state = .content
        token = position(index + 1)
    }
}
