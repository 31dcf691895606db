import FormatKit
package import StrictJSON

/// The database that an import goes into, as far as the plan has to know it.
package protocol SlateImportTarget: SlateSource {
    /// Returns the key of another row that has the values which no two rows of the table may share.
    func holder(_ table: SlateTable, of row: SlateCursor) throws -> [UInt8]?
    /// Returns the rows of a table.
    func storedRows(of table: SlateTable) throws -> any SlateStoredRows
    /// Tells whether rows that stay must not be written anew, as something depends on them that the format does not
    /// have.
    func mustKeepRows(of table: SlateTable) throws -> Bool
}

/// A plan, and the rows and members that carry it out.
package struct SlateImport {
    package var plan: SlateImportPlan
    /// The parts that are imported.
    package let parts: Set<SlatePart>
    /// The positions of the content's rows to write for each table, in order.
    ///
    /// It is nil where the table is emptied and all rows are written.
    package var writes: [SlateTable: [Int]] = [:]
    /// The keys of rows that are removed from tables that are not emptied.
    package var removals: [SlateTable: [[UInt8]]] = [:]
    /// All keys of `meta` that the database is to have, but for its own `schema_version`.
    package var meta = JSONObject()
    /// All unknown members of the top level that the database is to have.
    package var unknownMembers = JSONObject()

    /// Tells whether a part is replaced, so that only the file's rows remain.
    package func isReplaced(_ part: SlatePart) -> Bool { plan.mode == .replace && parts.contains(part) }
}

/// Plans an import: holds what the file has against what the database has, row by row.
package struct SlateImportPlanner {
    private let content: SlateContent
    private let target: any SlateImportTarget
    private let mode: SlateImportMode
    /// The keys of the file's rows that a merge takes, whichever is newer.
    private let replacements: [SlateTable: Set<[UInt8]>]
    private let progress: (Int) -> Void
    private var rowCount = 0
    private var result: SlateImport

    private init(
        _ content: SlateContent,
        _ target: any SlateImportTarget,
        _ mode: SlateImportMode,
        _ parts: Set<SlatePart>,
        _ replacements: [SlateTable: Set<[UInt8]>],
        _ progress: @escaping (Int) -> Void
    ) {
        self.content = content
        self.target = target
        self.mode = mode
        self.replacements = replacements
        self.progress = progress
        result = SlateImport(plan: SlateImportPlan(mode: mode), parts: parts)
    }

    /// Makes the plan for some parts of a file, in an order that does not depend on theirs in the set.
    package static func plan(
        _ content: SlateContent,
        into target: any SlateImportTarget,
        mode: SlateImportMode,
        parts: Set<SlatePart> = Set(SlatePart.allCases),
        replacements: [SlateTable: Set<[UInt8]>] = [:],
        progress: @escaping (Int) -> Void = { _ in }
    ) throws -> SlateImport {
        var planner = SlateImportPlanner(content, target, mode, parts, replacements, progress)
        for part in SlatePart.allCases where parts.contains(part) {
            switch part {
            case .meta: try planner.planMeta()
            case .table(let table): try planner.plan(table)
            }
        }
        try planner.planUnknownMembers()
        return planner.result
    }

    // MARK: Members

    private mutating func planMeta() throws {
        var part = SlateImportPlan.Part(.meta)
        var stored = try target.meta
        var incoming = content.meta
        // The version is that of the database's tables, whatever the file says.
        stored[SlateMember.version] = nil
        incoming[SlateMember.version] = nil
        result.meta = merged(incoming, stored, &part)
        result.plan.parts.append(part)
    }

    /// Members of the top level count among the keys of `meta`; an import of some tables alone leaves them.
    private mutating func planUnknownMembers() throws {
        let stored = try target.unknownMembers
        guard let index = result.plan.parts.firstIndex(where: { $0.part == .meta }) else {
            return result.unknownMembers = stored
        }
        var incoming = content.unknownMembers
        // A backup that was made without the app's settings does not delete them.
        if incoming[SlateMember.storage] == nil { incoming[SlateMember.storage] = stored[SlateMember.storage] }
        let place = "member of the top level: "
        var (rest, storedRest) = (incoming, stored)
        if let new = incoming[SlateMember.storage]?.object, let old = (stored[SlateMember.storage] ?? [:]).object {
            (rest[SlateMember.storage], storedRest[SlateMember.storage]) = (nil, nil)
            let settings = merged(new, old, &result.plan.parts[index], "the app's setting: ", key: "storage/")
            result.unknownMembers = merged(rest, storedRest, &result.plan.parts[index], place)
            result.unknownMembers[SlateMember.storage] = .object(settings)
        } else {
            result.unknownMembers = merged(rest, storedRest, &result.plan.parts[index], place)
        }
    }

    /// Returns the object that the database gets of two objects.
    private func merged(
        _ incoming: JSONObject,
        _ stored: JSONObject,
        _ part: inout SlateImportPlan.Part,
        _ place: String = "",
        key: String = ""
    ) -> JSONObject {
        var result = mode == .merge ? stored : incoming
        for member in SlateWriter.ordered(incoming) {
            let shown = { (value: JSONValue) in quoted(value.string ?? value.text(.compact)) }
            guard let old = stored[member.name] else {
                part.add(.create, key + member.name, title: nil, place + shown(member.value))
                result[member.name] = member.value
                continue
            }
            if old == member.value {
                part.unchanged += 1
            } else if mode == .replace {
                part.add(.update, key + member.name, title: nil, "\(place)\(shown(old)) becomes \(shown(member.value))")
            } else {
                let reason = "\(place)\(shown(old)) stays, the file has \(shown(member.value))"
                part.add(.keep, key + member.name, title: nil, reason)
            }
        }
        guard mode == .replace else { return result }
        for member in SlateWriter.ordered(stored) where incoming[member.name] == nil {
            part.add(.remove, key + member.name, title: nil, "\(place)not in the file")
        }
        return result
    }

    // MARK: Rows

    private mutating func plan(_ table: SlateTable) throws {
        var part = SlateImportPlan.Part(.table(table))
        // Another row of the database may have the values of a row of the file.
        let isShared = mode == .merge && !table.unique.isEmpty
        let isEmptied = try mode == .replace && !target.mustKeepRows(of: table)
        var writes: [Int] = []
        var removals: [[UInt8]] = []
        var waiting: [WaitingRow] = []
        // Columns that the file's version lacks stay unchanged, except where the file replaces all.
        let unsaid = mode == .merge ? table.columnsUnknown(to: content.sourceVersion) : []
        let cursor = content.cursor(table)
        let rows = try target.storedRows(of: table)
        let stored = SlateRowTexts(rows)
        let incoming = SlateRowTexts(cursor)
        try SlateWalk.walk(stored, incoming) { step in
            rowCount += 1
            if rowCount & 0x3FFF == 0 { progress(rowCount) }
            switch step {
            case .leftOnly:
                guard mode == .replace else { return part.unchanged += 1 }
                part.add(.remove, stored.name, title: Self.title(try? stored.text), "not in the file")
                if !isEmptied { removals.append(Array(stored.key)) }
            case .rightOnly:
                guard try !isShared || isFree(cursor, .create, "new", &part, &waiting) else { return }
                part.add(.create, incoming.name, title: Self.title(try? incoming.text), "new")
                if !isEmptied { writes.append(cursor.position) }
            case .both:
                if try rows.holds(cursor) { return part.unchanged += 1 }
                let new = try incoming.text
                let isReplaced = mode == .replace || replacements[table]?.contains(Array(incoming.key)) ?? false
                guard let old = try? stored.text else {
                    let reason = "the database's row cannot be read"
                    part.add(isReplaced ? .update : .keep, incoming.name, title: Self.title(new), reason)
                    if isReplaced { writes.append(cursor.position) }
                    return
                }
                guard old != new else { return part.unchanged += 1 }
                let difference = SlateDifference(old, new, of: table, unsaid: unsaid)
                if !unsaid.isEmpty, difference.members.isEmpty { return part.unchanged += 1 }
                if !isReplaced, difference.order != .newIsNewer {
                    part.add(.keep, incoming.name, title: difference.oldTitle, difference.keepReason)
                    return
                }
                guard try !isShared || isFree(cursor, .update, difference.updateReason, &part, &waiting) else { return }
                if difference.order == .oldIsNewer { part.newer += 1 }
                part.add(.update, incoming.name, title: difference.title, difference.updateReason)
                writes.append(cursor.position)
            }
        }
        settle(waiting, of: table, &part, &writes)
        result.plan.parts.append(part)
        result.writes[table] = isEmptied ? nil : writes
        result.removals[table] = removals
    }

    // MARK: Rows that wait for others

    /// A row of the file whose values another row of the database has.
    private struct WaitingRow {
        let position: Int
        /// The position in the file of that other row.
        let holder: Int
        let verb: SlateImportPlan.Verb
        let key: String
        let reason: String
    }

    /// Tells whether no other row of the database has the values of a row of the file; else that row waits or is
    /// skipped.
    private func isFree(
        _ cursor: SlateCursor,
        _ verb: SlateImportPlan.Verb,
        _ reason: String,
        _ part: inout SlateImportPlan.Part,
        _ waiting: inout [WaitingRow]
    ) throws -> Bool {
        let table = cursor.table
        guard let holder = try target.holder(table, of: cursor) else {
            return true
        }
        let key = String(decoding: cursor.key, as: UTF8.self)
        if let holder = content.position(of: holder, in: table) {
            waiting.append(
                WaitingRow(position: cursor.position, holder: holder, verb: verb, key: key, reason: reason)
            )
        } else {
            part.add(.skip, key, title: nil, Self.skipReason(table))
        }
        return false
    }

    private static func skipReason(_ table: SlateTable) -> String {
        "the database has the same \(table.noun) under another id"
    }

    /// Writes the rows that wait for one that is updated and so gives its values up, behind that one; skips the others.
    ///
    /// What is skipped now would be skipped again.
    private func settle(
        _ waiting: [WaitingRow],
        of table: SlateTable,
        _ part: inout SlateImportPlan.Part,
        _ writes: inout [Int]
    ) {
        var rows: [Int: WaitingRow] = [:]
        for row in waiting { rows[row.holder] = row }
        if !rows.isEmpty {
            for position in writes {
                var free = rows.removeValue(forKey: position)
                while let row = free {
                    part.add(row.verb, row.key, title: nil, row.reason)
                    writes.append(row.position)
                    free = rows.removeValue(forKey: row.position)
                }
            }
        }
        for row in waiting where rows[row.holder] != nil {
            part.add(.skip, row.key, title: nil, Self.skipReason(table))
        }
    }

    private static func title(_ row: [UInt8]?) -> String? {
        row.flatMap { try? JSONDocument(parsing: $0) }?.root["title"]?.string
    }
}

extension SlateRowTexts {
    /// The primary key as a string.
    var name: String { String(decoding: key, as: UTF8.self) }
}
