package import StrictJSON

/// Reads an XML text in pieces, in memory that does not depend on its length.
///
/// libxml2 reads what ``XMLGate`` lets through, so that nothing it is given can make it open a file or an address, define
/// an entity, or use more memory than the options allow. A reader is good for one text.
///
/// ```swift
/// let reader = try XMLReader()
/// handler.workout = try reader.name("Workout")
/// try reader.read(from: source, into: handler)
/// ```
package final class XMLReader {
    private var gate: XMLGate
    private let parser: XMLParser
    private var isUsed = false
    /// How many bytes are read at once.
    private static let capacity = 1 << 16

    package init(_ options: XMLOptions = XMLOptions()) throws(XMLError) {
        gate = XMLGate(options)
        parser = try XMLParser()
    }

    /// Also holds the text against a schema, element by element.
    ///
    /// - Parameter report: Gets each fault; the reading goes on unless it throws.
    package func validate(against schema: RelaxNGSchema, report: @escaping (XMLError) throws -> Void) throws(XMLError) {
        parser.validator = try RelaxNGValidator(schema, report)
    }

    /// The reader's copy of a name, to compare others with.
    package func name(_ text: String) throws(XMLError) -> XMLName { try parser.name(text) }

    /// How many control characters became spaces, where the options allow it, and where the first was.
    package var replacedControlCharacters: (count: Int, first: TextPosition?) { (gate.replaced, gate.firstReplaced) }

    /// Reads a text to its end.
    ///
    /// - Parameters:
    ///   - source: Fills a buffer from its start; gives how many bytes there were, 0 only at the end.
    ///   - handler: Gets what is read.
    /// - Throws: ``XMLError`` with the first thing that is wrong, or what the source or the handler throws.
    package func read(
        from source: (UnsafeMutableRawBufferPointer) throws -> Int,
        into handler: any XMLHandler
    ) throws {
        guard !isUsed else { throw XMLError(.usage, "a reader reads one text") }
        isUsed = true
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.capacity, alignment: 16)
        defer { buffer.deallocate() }
        let bytes = buffer.bindMemory(to: UInt8.self)
        var (start, count, isFirst, isLast) = (0, 0, true, false)
        repeat {
            while count < bytes.count, !isLast {
                let more = try source(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                guard (0...bytes.count - count).contains(more) else {
                    throw XMLError(.usage, "a source gave more bytes than there was room for")
                }
                isLast = more == 0
                count += more
            }
            if isFirst {
                start = try XMLHead.byteOrderMark(UnsafeBufferPointer(rebasing: bytes[..<count]))
                gate.skipByteOrderMark(start)
                isFirst = false
            }
            let piece = UnsafeMutableBufferPointer(rebasing: bytes[start..<count])
            let (passed, failure) = gate.scan(piece, isLast: isLast)
            try parser.parse(UnsafeBufferPointer(rebasing: piece[..<passed]), starts: &gate.starts, into: handler)
            if let failure { throw try error(failure, rest: piece[passed...], isLast, source) }
            guard gate.end.offset <= gate.options.totalBytes else {
                throw XMLError(.size, "the text has more than \(gate.options.totalBytes) bytes, which is the limit")
            }
            // What could not be told yet comes first next time.
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[(start + passed)..<count]))
            (start, count) = (0, piece.count - passed)
        } while !isLast
        guard gate.isComplete else {
            let message = gate.isBlank ? "the text is empty; expected XML" : XMLGate.truncation
            throw XMLError(gate.isBlank ? .empty : .truncated, message, at: gate.end)
        }
        try parser.finish(starts: &gate.starts, into: handler)
    }

    /// Reads a text that is in memory, in pieces of at most so many bytes.
    package func read(_ bytes: [UInt8], piece: Int = .max, into handler: any XMLHandler) throws {
        try read(from: JSONByteSource(bytes, piece: piece).read, into: handler)
    }

    /// The error for a failure: a NUL is another one where nothing but NULs follows.
    private func error(
        _ failure: XMLGate.Failure,
        rest: Slice<UnsafeMutableBufferPointer<UInt8>>,
        _ isLast: Bool,
        _ source: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> XMLError {
        let plain = XMLError(failure.code, failure.message, at: failure.position)
        guard failure.isNUL, rest.allSatisfy({ $0 == 0 }) else { return plain }
        var count = rest.count
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.capacity, alignment: 16)
        defer { buffer.deallocate() }
        while !isLast {
            let more = try source(buffer)
            guard more > 0, more <= buffer.count else { break }
            guard buffer[..<more].allSatisfy({ $0 == 0 }) else { return plain }
            count += more
        }
        let what = failure.position.offset == 0 ? "all \(count) bytes" : "the last \(count) bytes"
        return XMLError(
            .nulFilled,
            "\(what) of the text are NUL, as after a write that was interrupted; take another copy",
            at: failure.position
        )
    }
}
