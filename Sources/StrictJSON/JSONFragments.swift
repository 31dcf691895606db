/// Copies small JSON texts, such as a column of a database holds, into a text that is being written.
///
/// One parser reads them all, so that a text costs no allocation.
package struct JSONFragments: ~Copyable {
    private var parser = TapeParser(options: JSONParseOptions(), capacity: 1024)

    /// A parser is given up when it has met so many names, so that its memory does not grow with the texts.
    private static let largestNameCount = 10_000

    package init() {}

    /// Reads a text; ``write(_:to:)`` copies it.
    ///
    /// - Parameter depth: The number of containers around the place where it will be copied to.
    /// - Returns: What the text is: a tag of its first word.
    package mutating func read(
        _ text: UnsafeBufferPointer<UInt8>,
        depth: Int = 0
    ) throws(JSONError) -> TapeWord.Tag {
        if parser.names.count > Self.largestNameCount {
            parser = TapeParser(options: JSONParseOptions(), capacity: 1024)
        }
        if let failure = parser.parseDocument(text, from: 0, depth: depth) {
            throw JSONError(failure, in: Array(text), pointer: parser.failurePointer(failure))
        }
        return TapeWord(bits: parser.tape.words[0]).tag
    }

    /// The number of tape words of the text that was read last.
    package var wordCount: Int { parser.tape.count }

    /// The number of different names in the texts that were read.
    package var nameCount: Int { parser.names.count }

    var tape: UnsafeMutablePointer<UInt64> { parser.tape.words }
    var names: NameView { parser.names.view }

    /// Writes the text that was read last.
    ///
    /// - Parameter text: The same text once more.
    package func write(_ text: UnsafeBufferPointer<UInt8>, to writer: inout JSONWriter) {
        writer.write(parser.tape.words, 0, text: text, names: parser.names, ranks: [])
    }

    /// Writes the members of the object that was read last, between those of an object that is being written.
    package func writeMembers(_ text: UnsafeBufferPointer<UInt8>, to writer: inout JSONWriter) {
        guard TapeWord(bits: parser.tape.words[0]).tag == .object else { return }
        writer.writeMembers(parser.tape.words, 0, text: text, names: parser.names)
    }
}
