internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// Reads the first line of a segment or a checkpoint.
///
/// It distinguishes newer files from wrong ones: it reads version and flags first. Only a header for this reader must
/// look exactly as a writer writes it.
struct HeaderReader {
    /// The most bytes of a header.
    static let mostBytes = 1 << 20
    private static let mostHeads = MergeLimits().mostWriters

    let root: JSONNode
    private let line: [UInt8]

    init(_ line: [UInt8]) throws(SegmentError) {
        guard line.count <= Self.mostBytes else {
            throw SegmentError.corrupt(1, "found a header of more than \(Self.mostBytes) bytes")
        }
        self.line = line
        do throws(JSONError) {
            var options = JSONParseOptions()
            options.maximumDepth = 8
            root = try JSONDocument(parsing: line, options: options).root
        } catch {
            throw SegmentError.corrupt(1, "the header is no JSON: \(error)")
        }
        guard root.kind == .object else {
            throw SegmentError.corrupt(1, "found \(root.kind.rawValue), expected a header, an object")
        }
    }

    /// Reads the header of a segment.
    func segment() throws(SegmentError) -> SegmentHeader {
        try checkReader(.segment)
        let header = try header()
        try checkForm(header.encoded())
        return header
    }

    /// Reads the header of a checkpoint.
    func checkpoint() throws(SegmentError) -> CheckpointHeader {
        try checkReader(.checkpoint)
        let header = CheckpointHeader(try header(), forks: try forks())
        try checkForm(header.encoded())
        return header
    }

    /// Checks that the header is one of ours, and for readers of our version.
    private func checkReader(_ kind: HeaderKind) throws(SegmentError) {
        let format = root["format"]?.string
        guard format == kind.rawValue else {
            let found = format.map { "the format \"\($0.prefix(40))\"" } ?? "no format"
            throw SegmentError.corrupt(1, "found \(found), expected \"\(kind.rawValue)\"")
        }
        let version = try integer("version", 1...Int.max)
        let reader = max(try integer("min_reader", 1...Int.max), version)
        guard reader <= SegmentHeader.version else {
            let message =
                "it is for readers of version \(reader), but this program reads version \(SegmentHeader.version);"
                + " update the program"
            throw SegmentError(.tooNew(minimumReader: reader, header: try? header()), line: 1, message)
        }
        guard let flags = root["flags"], flags.kind == .array else {
            throw SegmentError.corrupt(1, "expected flags, an array of strings")
        }
        for flag in flags.elements {
            guard let name = flag.string else { throw SegmentError.corrupt(1, "found a flag that is no string") }
            let isEncrypted = name == "encrypted"
            let message =
                isEncrypted
                ? "it is encrypted, which this program cannot read yet; update the program"
                : "it has the flag \"\(name.prefix(40))\", which this program does not know; update the program"
            throw SegmentError(.unknownFlag(name, header: try? header()), line: 1, message)
        }
    }

    /// Rejects everything that a writer would not write: other members, another order, another notation.
    private func checkForm(_ expected: [UInt8]) throws(SegmentError) {
        guard line != expected else { return }
        let at = zip(line, expected).prefix { $0 == $1 }.count
        let names = Set(root.members.map(\.name))
        let known = Set((try? JSONDocument(parsing: expected))?.root.members.map(\.name) ?? [])
        if let unknown = names.subtracting(known).min() {
            throw SegmentError.corrupt(1, "found the unknown member \"\(unknown.prefix(40))\" in the header")
        }
        throw SegmentError.corrupt(1, "the header is not in the form that it is written in, from column \(at + 1) on")
    }

    // MARK: Members

    private func header() throws(SegmentError) -> SegmentHeader {
        let device = root["device"]
        guard let app = AppID(rawValue: try string("app")) else {
            throw SegmentError.corrupt(1, "found an app that is not known")
        }
        guard let id = device?["id"]?.string, let name = device?["name"]?.string else {
            throw SegmentError.corrupt(1, "expected the device, an object of id and name")
        }
        guard let space = root["space"]?.string, FileName.isPlain(space) else {
            throw SegmentError.corrupt(1, "expected the space, of digits and small letters")
        }
        return SegmentHeader(
            space: space,
            app: app,
            writer: try writer(root["writer"], "the writer"),
            sequence: try integer("sequence", 1...(1 << 53)),
            previous: try previous(),
            heads: try heads(),
            clock: try clock(),
            device: SyncDevice(id: id, name: name),
            program: try string("program"),
            schema: try integer("schema", 1...Int(Int32.max)),
            minimumReader: try integer("min_reader", 1...Int.max),
            records: try integer("records", 0...MergeLimits().mostRecords),
            part: try part()
        )
    }

    private func string(_ name: String) throws(SegmentError) -> String {
        guard let string = root[name]?.string else { throw SegmentError.corrupt(1, "expected \(name), a string") }
        return string
    }

    private func integer(_ name: String, _ range: ClosedRange<Int>) throws(SegmentError) -> Int {
        try integer(root[name], name, range)
    }

    private func integer(_ node: JSONNode?, _ what: String, _ range: ClosedRange<Int>) throws(SegmentError) -> Int {
        guard let int = node?.int, range.contains(int) else {
            let message = "expected \(what), an integer from \(range.lowerBound) to \(range.upperBound)"
            throw SegmentError.corrupt(1, message)
        }
        return int
    }

    private func writer(_ node: JSONNode?, _ what: String) throws(SegmentError) -> WriterID {
        guard let writer = node?.string.flatMap(WriterID.init) else {
            throw SegmentError.corrupt(1, "expected \(what), a writer's name")
        }
        return writer
    }

    private func hash(_ node: JSONNode?, _ what: String, orShort: Bool = false) throws(SegmentError) -> String {
        let length = ContentHash.length
        guard let hash = node?.string,
            hash.utf8.count == length || orShort && hash.utf8.count == ContentHash.shortLength,
            hash.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { throw SegmentError.corrupt(1, "expected \(what), \(length) hexadecimal digits") }
        return hash
    }

    private func previous() throws(SegmentError) -> String? {
        guard let node = root["previous"] else { throw SegmentError.corrupt(1, "expected previous, a hash or null") }
        return node.isNull ? nil : try hash(node, "previous")
    }

    private func heads() throws(SegmentError) -> [WriterHead] {
        guard let node = root["heads"], node.kind == .object, node.count <= Self.mostHeads else {
            throw SegmentError.corrupt(1, "expected heads, an object of at most \(Self.mostHeads) writers")
        }
        var heads: [WriterHead] = []
        heads.reserveCapacity(node.count)
        for (name, value) in node.members {
            guard let writer = WriterID(name), value.kind == .array, value.count == 2 else {
                throw SegmentError.corrupt(1, "expected a writer's head, an array of number and hash")
            }
            let sequence = try integer(value[0], "the number of a head", 1...(1 << 53))
            let hash = try hash(value[1], "the hash of a head", orShort: true)
            heads.append(WriterHead(Dot(writer, sequence), hash: hash))
        }
        return heads
    }

    private func clock() throws(SegmentError) -> HybridClock {
        guard let node = root["clock"], node.kind == .array, node.count == 2 else {
            throw SegmentError.corrupt(1, "expected clock, an array of milliseconds and count")
        }
        let milliseconds = try integer(node[0], "the milliseconds of the clock", 0...(1 << 48 - 1))
        let count = try integer(node[1], "the count of the clock", 0...0xFFFF)
        return HybridClock(bits: UInt64(milliseconds) << 16 | UInt64(count))
    }

    private func part() throws(SegmentError) -> SegmentPart? {
        guard let node = root["part"] else { return nil }
        guard node.kind == .array, node.count == 2 else {
            throw SegmentError.corrupt(1, "expected part, an array of number and count")
        }
        let count = try integer(node[1], "the number of parts", 1...Int(Int32.max))
        return SegmentPart(try integer(node[0], "the part", 1...count), of: count)
    }

    private func forks() throws(SegmentError) -> [ForkMark] {
        guard let node = root["forks"], node.kind == .array, node.count <= Self.mostHeads else {
            throw SegmentError.corrupt(1, "expected forks, an array of at most \(Self.mostHeads) forks")
        }
        var forks: [ForkMark] = []
        for fork in node.elements {
            guard fork.kind == .array, fork.count == 4 else {
                throw SegmentError.corrupt(1, "expected a fork, an array of writer, number, hash and branch")
            }
            let mark = ForkMark(
                writer: try writer(fork[0], "a fork's writer"),
                sequence: try integer(fork[1], "the number of a fork", 1...(1 << 53)),
                hash: try hash(fork[2], "the hash of a fork"),
                branch: try writer(fork[3], "a fork's branch")
            )
            guard mark.isNamedRight else {
                throw SegmentError.corrupt(1, "found a fork whose branch is not named after its first segment")
            }
            forks.append(mark)
        }
        return forks
    }
}
