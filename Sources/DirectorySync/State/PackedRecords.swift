internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Records that lie side by side in compressed blocks, as most of a replica's records do.
///
/// A packed record is one that the store has in its resolved form, that has no conflict, and of which nothing is left
/// to write. A row of the table `record` stands in place of the packed record with its key; one that is gone says so.
/// So a change of one record writes a row, and the block stays until ``ReplicaState/packIfMany()``.
///
/// The blocks of a new replica wait first: the store lacks their records, and nobody has looked at their links.
final class PackedRecords {
    /// The texts that link a record to others.
    struct Targets: Sendable {
        /// The hashes of its references, and of names that its key does not tell.
        var hashes: Set<Int> = []
        /// The beginnings of its names that end with its key, such as `tasks/`; a few, each once.
        var prefixes: [String] = []

        /// Adds the links of a record.
        mutating func add(_ links: RecordLinks, of key: RecordKey) {
            for reference in links.references { hashes.insert(PackedRecords.hash(reference, isName: false)) }
            for name in links.names {
                // Mostly another record's name had the same beginning.
                if prefixes.contains(where: { isSame(name.text, $0, followedBy: key.key) }) { continue }
                if let prefix = PackedRecords.prefix(of: name.text, endingWith: key.key) {
                    prefixes.append(prefix)
                } else {
                    hashes.insert(PackedRecords.hash(name.text, isName: true))
                }
            }
        }

        /// Adds the links of another record.
        mutating func add(_ other: Targets) {
            if !other.hashes.isEmpty { hashes.formUnion(other.hashes) }
            for prefix in other.prefixes { add(prefix: prefix) }
        }

        private mutating func add(prefix: String) {
            if !prefixes.contains(where: { isSame($0, prefix) }) { prefixes.append(prefix) }
        }
    }

    private let database: Database
    private let compression: any Compression
    let limits: PackingLimits
    /// The last expanded blocks, the latest first.
    private var expanded: [Block] = []
    /// The block at the end of a collection that records are added to.
    @exclusivity(unchecked) private var open: Block?
    @exclusivity(unchecked) private var openTargets = Targets()
    /// Full blocks in order, which other threads compress: they are written before anything needs them in the table.
    private var full: [(block: Block, targets: Targets, lines: Ahead<Result<[UInt8], any Error>>)] = []
    private static let mostFull = 4
    private var waiting: Bool?
    private var lastKeys: [String: String?] = [:]
    private var isThere: Bool?
    private var hasReferences: Bool?
    private var prefixes: [String: [String]]?
    private var prepared: [StoreStatement?] = Array(repeating: nil, count: Query.allCases.count)
    private static let mostExpanded = 4

    /// The statements that are run for single records.
    private enum Query: Int, CaseIterable {
        case around, read, last, linked, insertLink, deleteLink

        var sql: String {
            switch self {
            case .around:
                "SELECT number, last FROM block WHERE collection = ? AND first <= ? ORDER BY first DESC LIMIT 1"
            case .read: "SELECT \(PackedRecords.columns) FROM block WHERE number = ?"
            case .last: "SELECT last FROM block WHERE collection = ? ORDER BY first DESC LIMIT 1"
            case .linked: "SELECT block FROM block_link WHERE target = ?"
            case .insertLink: "INSERT OR IGNORE INTO block_link (target, block) VALUES (?, ?)"
            case .deleteLink: "DELETE FROM block_link WHERE target = ? AND block = ?"
            }
        }
    }

    private func statement(_ query: Query) throws -> StoreStatement {
        if let statement = prepared[query.rawValue] { return statement }
        let statement = try StoreStatement(database, query.sql)
        prepared[query.rawValue] = statement
        return statement
    }

    init(_ database: Database, _ compression: any Compression, _ limits: PackingLimits) {
        self.database = database
        self.compression = compression
        self.limits = limits
    }

    /// Forgets what was read, because the tables have changed.
    func forget() {
        expanded = []
        open = nil
        openTargets = Targets()
        full = []
        lastKeys = [:]
        isThere = nil
        waiting = nil
        hasReferences = nil
        prefixes = nil
    }

    /// True if there are no packed records.
    var isEmpty: Bool {
        get throws {
            if open != nil || !full.isEmpty { return false }
            if let isThere { return !isThere }
            let found =
                try first("SELECT EXISTS (SELECT 1 FROM block)") { _ in
                } read: {
                    $0.integer(0)
                } == 1
            isThere = found
            return !found
        }
    }

    /// True if the store lacks the records of a block.
    var isWaiting: Bool {
        get throws {
            if let open, open.isWaiting { return true }
            if full.contains(where: \.block.isWaiting) { return true }
            if let waiting { return waiting }
            let found = try first("SELECT EXISTS (SELECT 1 FROM block WHERE is_waiting)") { _ in
            } read: {
                $0.integer(0)
            }
            waiting = found == 1
            return found == 1
        }
    }

    // MARK: Reading

    /// A packed record.
    struct Entry: Sendable {
        let key: RecordKey
        let line: [UInt8]
        /// True if the store lacks it.
        let isWaiting: Bool
    }

    /// Returns a packed record, whether or not a row stands in its place; nil where it is not packed.
    func entry(_ key: RecordKey) throws -> Entry? {
        guard let block = try block(around: key), let place = block.place(of: key.key) else { return nil }
        return block.entry(place)
    }

    /// Returns the block that may hold a record.
    private func block(around key: RecordKey) throws -> Block? {
        if try isEmpty { return nil }
        if let open, open.isAround(key) { return open }
        if let index = expanded.firstIndex(where: { $0.isAround(key) }) {
            let block = expanded.remove(at: index)
            expanded.insert(block, at: 0)
            return block
        }
        if let last = try lastKey(of: key.collection), RecordKey(key.collection, last) < key { return nil }
        try flush(leaving: 0)
        let around = try statement(.around)
        defer { around.reset() }
        try around.bind(1, text: key.collection)
        try around.bind(2, text: key.key)
        guard try around.step(), let last = around.text(1), !precedes(last, key.key),
            let block = try block(around.integer(0))
        else { return nil }
        expanded.insert(block, at: 0)
        if expanded.count > Self.mostExpanded { expanded.removeLast() }
        return block
    }

    private func block(_ number: Int) throws -> Block? {
        let row = try statement(.read)
        defer { row.reset() }
        try row.bind(1, number)
        return try row.step() ? read(row) : nil
    }

    private static let sum = "row_sum(number, collection, first, last, count, is_waiting, lines)"
    fileprivate static let columns =
        """
        number, first, last, count, lines, collection, sum = \(sum), is_waiting, sum
        """

    /// A block as it lies in the table; its checksum was right.
    struct StoredBlock: Sendable {
        let number: Int
        let collection: String
        let sum: Int
        fileprivate let first: String
        fileprivate let count: Int
        fileprivate let isWaiting: Bool
        fileprivate let lines: [UInt8]
        fileprivate let compression: any Compression
        fileprivate let blockBytes: Int

        /// Expands the block, and returns its records.
        func entries() throws(Damaged) -> [Entry] {
            let block = try expanded()
            return block.keys.indices.map { block.entry($0) }
        }

        fileprivate func expanded() throws(Damaged) -> Block {
            guard let bytes = try? expandedLines() else { throw Damaged(key: first) }
            let block = Block(number: number, collection, bytes, isWaiting: isWaiting)
            guard block.keys.count == count else { throw Damaged(key: first) }
            return block
        }

        private func expandedLines() throws(CompressionError) -> [UInt8] {
            let expander = try compression.makeExpander(of: .bytes(lines), limit: 1 << 28, isBeginningOnly: false)
            var found: [UInt8] = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes + 1024, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                let count = try expander.read(into: buffer)
                guard count > 0 else { return found }
                found.append(contentsOf: buffer[..<count])
            }
        }
    }

    private func stored(_ row: StoreStatement) throws(Damaged) -> StoredBlock {
        let first = row.text(1) ?? ""
        guard row.integer(6) == 1, let bytes = row.bytes(4) else { throw Damaged(key: first) }
        return StoredBlock(
            number: row.integer(0),
            collection: row.text(5) ?? "",
            sum: row.integer(8),
            first: first,
            count: row.integer(3),
            isWaiting: row.integer(7) != 0,
            lines: Array(bytes),
            compression: compression,
            blockBytes: limits.blockBytes
        )
    }

    private func read(_ row: StoreStatement) throws -> Block { try stored(row).expanded() }

    /// The error for a block that is not as it was written.
    struct Damaged: Error { let key: String }

    /// Returns a cursor over the blocks of a collection, or of all collections.
    func cursor(in collection: String?) throws -> BlockCursor {
        try flush()
        let condition = collection == nil ? "" : " WHERE collection = ?"
        let sql = "SELECT \(Self.columns) FROM block\(condition) ORDER BY collection, first"
        let rows = try StoreStatement(database, sql)
        if let collection { try rows.bind(1, text: collection) }
        return BlockCursor(rows) { try self.read($0) }
    }

    /// Goes through blocks, expanding one at a time.
    final class BlockCursor {
        private let rows: StoreStatement
        private let read: (StoreStatement) throws -> Block
        private var block: Block?
        private var place = 0

        fileprivate init(_ rows: StoreStatement, _ read: @escaping (StoreStatement) throws -> Block) {
            self.rows = rows
            self.read = read
        }

        deinit { rows.reset() }

        func next() throws -> Entry? {
            while block.map({ place >= $0.keys.count }) ?? true {
                guard try rows.step() else { return nil }
                block = try read(rows)
                place = 0
            }
            guard let block else { return nil }
            defer { place += 1 }
            return block.entry(place)
        }
    }

    /// Returns the number of packed records, with those that rows stand in place of.
    ///
    /// - Parameter isInStore: Whether to count only those that the store has.
    func count(in collection: String? = nil, isInStore: Bool = false) throws -> Int {
        guard try !isEmpty else { return 0 }
        try flush()
        let condition = (collection == nil ? "" : " AND collection = ?") + (isInStore ? " AND NOT is_waiting" : "")
        return try first("SELECT coalesce(sum(count), 0) FROM block WHERE true\(condition)") { statement in
            if let collection { try statement.bind(1, text: collection) }
        } read: {
            $0.integer(0)
        } ?? 0
    }

    // MARK: Links

    /// Returns the links of a record in the form that blocks are looked up by.
    static func targets(of key: RecordKey, _ links: RecordLinks) -> Targets {
        var targets = Targets()
        targets.add(links, of: key)
        return targets
    }

    /// Returns the beginning of a name, up to its slash, where the rest is the key; nil for any other name.
    fileprivate static func prefix(of name: String, endingWith key: String) -> String? {
        guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let rest = name.utf8.index(after: slash)
        return isSame(String(name[rest...]), key) ? String(name[..<rest]) : nil
    }

    /// Returns the hash of a text: below 0 for a name, 0 or more for a reference.
    fileprivate static func hash(_ text: String, isName: Bool) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let number = Int((hash ^ hash >> 29) >> 2)
        return isName ? -1 - number : number
    }

    /// Calls `body` with packed records that may be linked to a text; most of them are not.
    ///
    /// - Parameter body: Returns whether to go on.
    func forEachCandidate(
        linkedTo text: String,
        asName isName: Bool,
        _ body: (RecordKey, [UInt8]) throws -> Bool
    ) throws {
        guard try !isEmpty else { return }
        if isName, let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) {
            let rest = text.utf8.index(after: slash)
            for collection in try collections(naming: String(text[..<rest])) {
                let key = RecordKey(collection, String(text[rest...]))
                if let entry = try entry(key), !entry.isWaiting, try !body(key, entry.line) { return }
            }
        }
        // In most stores nothing refers to anything.
        guard try isName || mayRefer else { return }
        let target = Self.hash(text, isName: isName)
        if isPending({ $0.contains(target) }) { try flush() }
        let rows = try statement(.linked)
        try rows.bind(1, target)
        var numbers: [Int] = []
        while try rows.step() { numbers.append(rows.integer(0)) }
        rows.reset()
        for number in numbers {
            guard let block = try block(number) else { continue }
            for place in block.keys.indices
            where try !body(RecordKey(block.collection, block.keys[place]), block.line(place)) { return }
        }
    }

    /// Returns whether the links of a block that is not in the table yet fulfil a condition.
    private func isPending(_ condition: (Set<Int>) -> Bool) -> Bool {
        condition(openTargets.hashes) || full.contains { condition($0.targets.hashes) }
    }

    /// True if a packed record may refer to another.
    var mayRefer: Bool {
        get throws { try !isEmpty && (refers() || isPending({ $0.contains { $0 >= 0 } })) }
    }

    /// Returns whether a record of a written block refers to another.
    private func refers() throws -> Bool {
        if let hasReferences { return hasReferences }
        let found = try first("SELECT EXISTS (SELECT 1 FROM block_link WHERE target >= 0)") { _ in
        } read: {
            $0.integer(0)
        }
        hasReferences = found == 1
        return found == 1
    }

    /// Returns the collections with records whose names begin so and end with their keys.
    private func collections(naming prefix: String) throws -> [String] {
        if let prefixes { return prefixes[prefix] ?? [] }
        var found: [String: [String]] = [:]
        let rows = try StoreStatement(database, "SELECT prefix, collection FROM block_name")
        defer { rows.reset() }
        while try rows.step() { found[rows.text(0) ?? "", default: []].append(rows.text(1) ?? "") }
        prefixes = found
        return found[prefix] ?? []
    }

    /// Makes the tables by which linked records are found anew.
    ///
    /// - Parameter targets: Returns the links of a record.
    func relink(_ targets: (RecordKey, [UInt8]) throws -> Targets) throws {
        guard try !isEmpty else { return }
        try flush()
        for table in ["block_link", "block_name"] { try StoreStatement(database, "DELETE FROM \(table)").run() }
        (prefixes, hasReferences) = (nil, nil)
        var numbers: [Int] = []
        let rows = try StoreStatement(database, "SELECT number FROM block WHERE NOT is_waiting")
        while try rows.step() { numbers.append(rows.integer(0)) }
        rows.reset()
        for number in numbers {
            guard let block = try block(number) else { continue }
            let found = try self.targets(of: block, targets)
            try insert(found.hashes, ofBlock: number)
            try note(found.prefixes, of: block.collection)
        }
    }

    private func targets(of block: Block, _ targets: (RecordKey, [UInt8]) throws -> Targets) throws -> Targets {
        var found = Targets()
        for place in block.keys.indices {
            let entry = block.entry(place)
            found.add(try targets(entry.key, entry.line))
        }
        return found
    }

    /// Throws if the tables by which linked records are found do not match the blocks.
    ///
    /// - Parameter targets: Returns the links of a record.
    func checkLinks(_ targets: (RecordKey, [UInt8]) throws -> Targets) throws {
        guard try !isEmpty else { return }
        try flush()
        var left: [Int: (count: Int, sum: Int)] = [:]
        let links = try StoreStatement(database, "SELECT target, block FROM block_link")
        defer { links.reset() }
        while try links.step() {
            let before = left[links.integer(1)] ?? (0, 0)
            left[links.integer(1)] = (before.count + 1, before.sum ^ links.integer(0))
        }
        let rows = try StoreStatement(database, "SELECT \(Self.columns) FROM block WHERE NOT is_waiting")
        defer { rows.reset() }
        while try rows.step() {
            let block = try read(rows)
            let found = try self.targets(of: block, targets)
            let kept = left.removeValue(forKey: block.number) ?? (0, 0)
            let areNamed = try found.prefixes.allSatisfy { try collections(naming: $0).contains(block.collection) }
            guard kept == (found.hashes.count, found.hashes.reduce(0, ^)), areNamed else {
                throw Damaged(key: block.keys.first ?? "")
            }
        }
        guard left.isEmpty else { throw Damaged(key: "") }
    }

    // MARK: Writing

    /// Adds a record behind all of its collection; returns false where it is not the last one.
    ///
    /// - Parameter links: Its links; nil where the store lacks it.
    func append(_ key: RecordKey, _ line: [UInt8], _ links: RecordLinks?) throws -> Bool {
        if let last = try lastKey(of: key.collection), !precedes(last, key.key) { return false }
        let isWaiting = links == nil
        if let open,
            open.collection != key.collection || open.isWaiting != isWaiting
                || open.bytes.count + line.count > limits.blockBytes
        {
            let lines = Ahead { [compression] in Result { try Self.compress(open.bytes, compression) } }
            full.append((open, openTargets, lines))
            lastKeys[open.collection] = open.keys.last
            self.open = nil
            openTargets = Targets()
            try flush(leaving: Self.mostFull)
        }
        if open == nil {
            open = Block(number: 0, key.collection, [], isWaiting: isWaiting)
            open?.reserve(limits.blockBytes)
        }
        open?.append(key.key, line)
        if let links {
            let known = openTargets.prefixes.count
            openTargets.add(links, of: key)
            // All of a block's records have the same collection.
            if openTargets.prefixes.count > known { try note(openTargets.prefixes, of: key.collection) }
        }
        return true
    }

    /// Returns the last key of a collection's packed records; nil for none.
    func lastKey(of collection: String) throws -> String? {
        if let open, isSame(open.collection, collection), let last = open.keys.last { return last }
        if let known = lastKeys[collection] { return known }
        let row = try statement(.last)
        defer { row.reset() }
        try row.bind(1, text: collection)
        let last = try row.step() ? row.text(0) : nil
        lastKeys[collection] = .some(last)
        return last
    }

    /// Writes the block that records were added to; before a commit, and before the tables are read.
    func flush() throws {
        try flush(leaving: 0)
        guard let block = open else { return }
        try insert(block, openTargets)
        lastKeys[block.collection] = block.keys.last
        open = nil
        openTargets = Targets()
    }

    /// Writes the first full blocks.
    private func flush(leaving most: Int) throws {
        while full.count > most {
            let first = full.removeFirst()
            try insert(first.block, first.targets, first.lines.take()?.get())
        }
    }

    private func insert(_ block: Block, _ targets: Targets, _ compressed: [UInt8]? = nil) throws {
        guard let start = block.keys.first, let last = block.keys.last else { return }
        let lines = try compressed ?? Self.compress(block.bytes, compression)
        let sql = """
            INSERT INTO block (number, collection, first, last, count, is_waiting, lines, sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, row_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7))
            """
        let number =
            try first("SELECT coalesce(max(number), 0) + 1 FROM block") { _ in
            } read: {
                $0.integer(0)
            } ?? 1
        let statement = try StoreStatement(database, sql, isCached: true)
        statement.reset()
        try statement.bind(1, number)
        try statement.bind(2, text: block.collection)
        try statement.bind(3, text: start)
        try statement.bind(4, text: last)
        try statement.bind(5, block.keys.count)
        try statement.bind(6, block.isWaiting)
        try statement.bind(7, blob: lines)
        try statement.run()
        try insert(targets.hashes, ofBlock: number)
        isThere = true
        if block.isWaiting { waiting = true }
    }

    private func insert(_ targets: Set<Int>, ofBlock number: Int) throws {
        if !targets.isEmpty { hasReferences = nil }
        for target in targets.sorted() {
            try run(.insertLink, target, number)
        }
    }

    // MARK: Records that the store lacks

    /// Returns the first blocks that wait, at least one, with about that many records.
    ///
    /// - Parameter last: The number of a block behind which they come.
    func waitingBlocks(_ most: Int, after last: Int = 0) throws -> [Int] {
        try flush()
        var found: [Int] = []
        var left = most
        let sql = "SELECT number, count FROM block WHERE is_waiting AND number > ? ORDER BY number"
        let rows = try StoreStatement(database, sql)
        try rows.bind(1, last)
        defer { rows.reset() }
        while left > 0, try rows.step() {
            found.append(rows.integer(0))
            left -= rows.integer(1)
        }
        return found
    }

    /// Returns a block that waits.
    func waitingBlock(_ number: Int) throws -> StoredBlock {
        let sql = "SELECT \(Self.columns) FROM block WHERE number = ? AND is_waiting"
        guard let block = try first(sql, { try $0.bind(1, number) }, read: { try stored($0) }) else {
            throw Damaged(key: "\(number)")
        }
        return block
    }

    /// Returns whether a block that waits is still as it was read.
    func isStill(_ block: StoredBlock) throws -> Bool {
        let sql = "SELECT sum FROM block WHERE number = ? AND is_waiting"
        return try first(sql, { try $0.bind(1, block.number) }, read: { $0.integer(0) }) == block.sum
    }

    /// Notes that the store has the records of a block, but for those with a row, and their links.
    func endWaiting(_ number: Int, of collection: String, _ targets: Targets) throws {
        // It was read just now, so that it is sound.
        let sum = "row_sum(number, collection, first, last, count, 0, lines)"
        try run("UPDATE block SET is_waiting = 0, sum = \(sum) WHERE number = ?", number)
        try insert(targets.hashes, ofBlock: number)
        try note(targets.prefixes, of: collection)
        expanded = []
        waiting = nil
    }

    private func note(_ found: [String], of collection: String) throws {
        for prefix in found where try !collections(naming: prefix).contains(collection) {
            let statement = try StoreStatement(
                database,
                "INSERT OR IGNORE INTO block_name (prefix, collection) VALUES (?, ?)",
                isCached: true
            )
            statement.reset()
            try statement.bind(1, text: prefix)
            try statement.bind(2, text: collection)
            try statement.run()
            prefixes?[prefix, default: []].append(collection)
        }
    }

    private func run(_ query: Query, _ one: Int, _ two: Int) throws {
        let statement = try statement(query)
        try statement.bind(1, one)
        try statement.bind(2, two)
        try statement.run()
    }

    private func run(_ sql: String, _ number: Int) throws {
        let statement = try StoreStatement(database, sql, isCached: true)
        statement.reset()
        try statement.bind(1, number)
        try statement.run()
    }

    /// Packs records of one collection, in order, into the blocks around them.
    ///
    /// - Parameters:
    ///   - rows: The records; without a line for one that is gone.
    ///   - targets: Returns the links of a record.
    func merge(
        _ rows: [(key: String, line: [UInt8]?)],
        in collection: String,
        targets: (RecordKey, [UInt8]) throws -> Targets
    ) throws {
        try flush()
        var rest = rows[...]
        while let row = rest.first {
            let (block, end) = try blockToRewrite(RecordKey(collection, row.key))
            let count = rest.firstIndex { row in end.map { !precedes(row.key, $0) } ?? false } ?? rest.endIndex
            try rewrite(block, with: rest[..<count], in: collection, targets)
            rest = rest[count...]
        }
        forget()
    }

    /// Returns the block that a record belongs into, and the first key of the next block.
    private func blockToRewrite(_ key: RecordKey) throws -> (Block?, end: String?) {
        func find(_ condition: String) throws -> Block? {
            let sql = "SELECT \(Self.columns) FROM block WHERE collection = ? AND first \(condition) LIMIT 1"
            return try first(sql) { statement in
                try statement.bind(1, text: key.collection)
                try statement.bind(2, text: key.key)
            } read: {
                try read($0)
            }
        }
        let block = try find("<= ? ORDER BY first DESC") ?? find("> ? ORDER BY first")
        let sql = "SELECT first FROM block WHERE collection = ? AND first > ? ORDER BY first LIMIT 1"
        let end =
            try first(sql) { statement in
                try statement.bind(1, text: key.collection)
                try statement.bind(2, text: max(block?.keys.first ?? "", key.key, by: precedes))
            } read: {
                $0.text(0)
            } ?? nil
        return (block, end)
    }

    /// Writes a block anew, or adds blocks; none of them waits.
    private func rewrite(
        _ block: Block?,
        with rows: ArraySlice<(key: String, line: [UInt8]?)>,
        in collection: String,
        _ targets: (RecordKey, [UInt8]) throws -> Targets
    ) throws {
        if let block {
            var old = Targets()
            for place in block.keys.indices {
                let key = RecordKey(collection, block.keys[place])
                old.hashes.formUnion(try targets(key, block.line(place)).hashes)
            }
            for target in old.hashes {
                try run(.deleteLink, target, block.number)
            }
            try run("DELETE FROM block WHERE number = ?", block.number)
        }
        var new = Block(number: 0, collection, [])
        var newTargets = Targets()
        func add(_ key: String, _ line: [UInt8]) throws {
            if !new.keys.isEmpty, new.bytes.count + line.count > limits.blockBytes {
                try insert(new, newTargets)
                (new, newTargets) = (Block(number: 0, collection, []), Targets())
            }
            let found = try targets(RecordKey(collection, key), line)
            newTargets.hashes.formUnion(found.hashes)
            try note(found.prefixes, of: collection)
            new.append(key, line)
        }
        var place = 0
        let count = block?.keys.count ?? 0
        for row in rows {
            while place < count, let block, precedes(block.keys[place], row.key) {
                try add(block.keys[place], block.line(place))
                place += 1
            }
            if place < count, let block, isSame(block.keys[place], row.key) { place += 1 }
            if let line = row.line { try add(row.key, line) }
        }
        while place < count, let block {
            try add(block.keys[place], block.line(place))
            place += 1
        }
        try insert(new, newTargets)
    }

    // MARK: Bytes

    private func first<Value>(
        _ sql: String,
        _ bind: (StoreStatement) throws -> Void,
        read: (StoreStatement) throws -> Value
    ) throws -> Value? {
        let statement = try StoreStatement(database, sql, isCached: true)
        statement.reset()
        defer { statement.reset() }
        try bind(statement)
        return try statement.step() ? read(statement) : nil
    }

    private static func compress(_ bytes: [UInt8], _ compression: any Compression) throws -> [UInt8] {
        var found: [UInt8] = []
        let compressor = try compression.makeQuickCompressor()
        try bytes.withUnsafeBytes { try compressor.write($0) { found.append(contentsOf: $0) } }
        try compressor.finish { found.append(contentsOf: $0) }
        return found
    }
}

/// Lines of records of one collection, in the order of their keys.
private struct Block {
    let number: Int
    let collection: String
    /// True if the store lacks its records.
    let isWaiting: Bool
    private(set) var bytes: [UInt8]
    private(set) var keys: [String] = []
    private var starts: [Int] = []

    /// Finds the records in lines; of lines that are none, none.
    init(number: Int, _ collection: String, _ lines: [UInt8], isWaiting: Bool = false) {
        self.number = number
        self.isWaiting = isWaiting
        self.collection = collection
        bytes = lines
        lines.withUnsafeBytes { lines in
            var start = 0
            while let end = lines.place(of: UInt8(ascii: "\n"), from: start),
                let key = LineOutline.key(of: UnsafeRawBufferPointer(rebasing: lines[start..<end]))
            {
                keys.append(key)
                starts.append(start)
                start = end + 1
            }
        }
    }

    /// Makes room for lines of so many bytes.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func append(_ key: String, _ line: [UInt8]) {
        keys.append(key)
        starts.append(bytes.count)
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
    }

    func line(_ place: Int) -> [UInt8] {
        let end = place + 1 < starts.count ? starts[place + 1] : bytes.count
        return Array(bytes[starts[place]..<(end - 1)])
    }

    func entry(_ place: Int) -> PackedRecords.Entry {
        PackedRecords.Entry(key: RecordKey(collection, keys[place]), line: line(place), isWaiting: isWaiting)
    }

    func isAround(_ key: RecordKey) -> Bool {
        guard let first = keys.first, let last = keys.last, isSame(collection, key.collection) else { return false }
        return !precedes(key.key, first) && !precedes(last, key.key)
    }

    /// Returns the index of a key.
    func place(of key: String) -> Int? {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && isSame(keys[low], key) ? low : nil
    }
}

/// Returns the later one of two texts.
private func max(_ one: String, _ two: String, by precedes: (String, String) -> Bool) -> String {
    precedes(one, two) ? two : one
}

private func isSame(_ one: String, _ two: String) -> Bool { one.hasSameScalars(as: two) }
