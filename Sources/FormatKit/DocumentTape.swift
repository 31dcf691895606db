public import StrictJSON

/// The text and the tape of a document, for loops over many of its values.
///
/// It does not own what it points to: the document has to live as long. Strings with escapes are resolved once, into
/// memory that this object owns. The apps' loops are compiled as one with what is inlinable here.
@usableFromInline
package final class DocumentTape {
    package let document: JSONDocument
    @usableFromInline package let words: UnsafeMutablePointer<UInt64>
    /// The document's bytes: an array that never changes keeps its place.
    @usableFromInline let text: UnsafeBufferPointer<UInt8>
    /// Strings that a repair replaced, by their place on the tape.
    @usableFromInline @exclusivity(unchecked)
    package private(set) var replaced: [Int: UnsafeBufferPointer<UInt8>] = [:]
    @exclusivity(unchecked) private var resolved: [Int: UnsafeBufferPointer<UInt8>] = [:]
    private var owned: [UnsafeMutableBufferPointer<UInt8>] = []

    package init(_ document: JSONDocument) {
        self.document = document
        words = document.tape.words
        text = document.bytes.withUnsafeBufferPointer { $0 }
    }

    deinit { for buffer in owned { buffer.deallocate() } }

    @inlinable @inline(__always)
    package func word(_ index: Int) -> TapeWord { TapeWord(bits: words[index]) }

    /// Returns the index behind the value at an index.
    @inlinable @inline(__always)
    package func end(_ index: Int) -> Int { word(index).isContainer ? Int(words[index + 1]) : index + 1 }

    /// Bytes of the text.
    @inlinable @inline(__always)
    package func bytes(from start: Int, count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: text[start..<start + count])
    }

    package func node(_ index: Int) -> JSONNode { JSONNode(document: document, index: index) }

    /// Returns the bytes of a string; nil where the value is none.
    @inlinable @inline(__always)
    package func string(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        if !replaced.isEmpty, let replacement = replaced[index] { return replacement }
        let word = word(index)
        switch word.tag {
        case .string:
            let start = word.offset + 1
            return UnsafeBufferPointer(rebasing: text[start..<start + word.payload])
        case .escapedString: return resolve(index, word)
        default: return nil
        }
    }

    @usableFromInline
    func resolve(_ index: Int, _ word: TapeWord) -> UnsafeBufferPointer<UInt8> {
        if let known = resolved[index] { return known }
        let raw = UnsafeBufferPointer(rebasing: text[word.offset + 1..<word.offset + 1 + word.payload])
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(raw.count, 1))
        owned.append(buffer)
        let result = UnsafeBufferPointer(rebasing: buffer[..<unescape(raw, into: buffer)])
        resolved[index] = result
        return result
    }

    /// Replaces a string for all who read it from here.
    package func replace(_ index: Int, by text: String) {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(text.utf8.count, 1))
        owned.append(buffer)
        _ = buffer.update(fromContentsOf: Array(text.utf8))
        replaced[index] = UnsafeBufferPointer(rebasing: buffer[..<text.utf8.count])
    }
}
