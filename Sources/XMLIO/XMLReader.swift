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
    private let step: Int
    private var isUsed = false
    /// The number of bytes that are read at once.
    private static let capacity = 1 << 16

    /// Makes a reader of one text.
    ///
    /// - Parameter step: The most bytes that are parsed at once, for tests; at least 16.
    package init(_ options: XMLOptions = XMLOptions(), step: Int = .max) throws(XMLError) {
        self.step = min(max(step, 16), Self.capacity)
        gate = XMLGate(options)
        parser = try XMLParser()
    }

    /// Also validates the text against a schema, element by element.
    ///
    /// - Parameter report: Gets each fault; the reading goes on unless it throws.
    package func validate(against schema: RelaxNGSchema, report: @escaping (XMLError) throws -> Void) throws(XMLError) {
        parser.validator = try RelaxNGValidator(schema, report)
    }

    /// Returns the reader's copy of a name, to compare others with.
    package func name(_ text: String) throws(XMLError) -> XMLName { try parser.name(text) }

    /// The number of control characters that became spaces, where the options allow it, and the position of the first.
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
        var (start, count, isFirst, isAtEnd) = (0, 0, true, false)
        repeat {
            while count < bytes.count, !isAtEnd {
                let more = try source(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                guard (0...bytes.count - count).contains(more) else {
                    throw XMLError(.usage, "a source gave more bytes than there was room for")
                }
                isAtEnd = more == 0
                count += more
            }
            if isFirst {
                start = try XMLHead.byteOrderMark(UnsafeBufferPointer(rebasing: bytes[..<count]))
                gate.skipByteOrderMark(start)
                isFirst = false
            }
            var end = start
            repeat {
                end = min(count, start + step)
                let piece = UnsafeMutableBufferPointer(rebasing: bytes[start..<end])
                let (passed, failure) = gate.scan(piece, isLast: isAtEnd && end == count)
                try parser.parse(UnsafeBufferPointer(rebasing: piece[..<passed]), starts: &gate.starts, into: handler)
                start += passed
                if let failure { throw try error(failure, rest: bytes[start..<count], isAtEnd, source) }
            } while end < count
            guard gate.end.offset <= gate.options.totalBytes else {
                throw XMLError(.size, "the text has more than \(gate.options.totalBytes) bytes, which is the limit")
            }
            // What could not be told yet comes first next time.
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<count]))
            (start, count) = (0, count - start)
        } while !isAtEnd
        guard gate.isComplete else {
            let message = gate.isBlank ? "the text is empty; expected XML" : XMLGate.truncation
            throw XMLError(gate.isBlank ? .empty : .truncated, message, at: gate.end)
        }
        try parser.finish(starts: &gate.starts, into: handler)
    }

    /// Reads a text that is in memory.
    package func read(_ bytes: [UInt8], into handler: any XMLHandler) throws {
        try read(from: JSONByteSource(bytes).read, into: handler)
    }

    /// Returns the error for a failure; a NUL has another one where only NULs follow it.
    private func error(
        _ failure: XMLGate.Failure,
        rest: Slice<UnsafeMutableBufferPointer<UInt8>>,
        _ isAtEnd: Bool,
        _ source: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> XMLError {
        let plain = XMLError(failure.code, failure.message, at: failure.position)
        guard failure.isNUL, rest.allSatisfy({ $0 == 0 }) else { return plain }
        var count = rest.count
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.capacity, alignment: 16)
        defer { buffer.deallocate() }
        while !isAtEnd {
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
