import DirectorySync
import RecordStore
import SQLiteDatabase
import TestSupport

/// An app that nobody wrote code for: lists of items with tags.
///
/// Its database numbers its rows by itself, so that devices give out the same numbers for different rows, and refers to
/// them by foreign keys. The diary knows rows by a text of their own, as no number means the same everywhere.
final class ListsApp: ReferenceApp {
    static let id = AppID("lists")
    let app = ListsApp.id
    let enforcesForeignKeys = true

    private static let schema = """
        CREATE TABLE list (id INTEGER PRIMARY KEY, token TEXT NOT NULL, name TEXT NOT NULL);
        CREATE TABLE tag (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
        CREATE TABLE item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL, title TEXT NOT NULL,
            list_id INTEGER NOT NULL REFERENCES list (id) ON DELETE CASCADE,
            after_id INTEGER REFERENCES item (id) ON DELETE SET NULL,
            price REAL, due_on TEXT, due_at TEXT, body TEXT NOT NULL DEFAULT '', count INTEGER NOT NULL DEFAULT 0,
            best INTEGER, first INTEGER, is_open INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE item_tag (
            item_id INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
            tag_id INTEGER NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
            PRIMARY KEY (item_id, tag_id));
        """
    /// What a person writes into the declaration: a column of each rule, and two that change together.
    private static let rules = ["body": "text", "count": "counter", "best": "max", "first": "min", "is_open": "local"]
    private static let tags = ["work", "home", "Läden", "later", "it's", "1"]

    func make(at path: String, _ random: inout SeededGenerator) throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: Self.schema) }
    }

    /// Gives the database of a device that joins the declaration in the folder; where none is there yet, its own.
    func declare(_ device: LifeDevice) throws {
        var declaration = try DatabaseDeclarer.declare(device.store, app: Self.id.rawValue)
        for (index, table) in declaration.tables.enumerated() where table.name == "item" {
            for (place, column) in table.columns.enumerated() {
                if let rule = Self.rules[column.name] { declaration.tables[index].columns[place].rule = rule }
                if column.name.hasPrefix("due_") { declaration.tables[index].columns[place].group = "due" }
            }
        }
        try DeclaredStores.declare(Replica.declarations(in: device.folder).first ?? declaration, device.store)
    }

    func open(_ visit: Visit) throws {
        try learn(visit.database, visit.life)
        if try visit.count("SELECT count(*) FROM list") == 0 { try addList(visit) }
    }

    func act(_ visit: Visit) throws {
        switch Int.random(in: 0..<100, using: &visit.random) {
        case 0..<18: try addItem(visit)
        case 18..<21: try addList(visit)
        case 21..<24: try renameList(visit)
        case 24..<25: try deleteList(visit)
        case 25..<33: try change("title", visit) { "Title \($0.identifier(""))" }
        case 33..<38: try move(visit)
        case 38..<43: try put(visit)
        case 43..<47: try change("price", visit) { _ in Double(Int.random(in: 0...80, using: &visit.random)) / 4 }
        case 47..<52: try setDue(visit)
        case 52..<62: try write(visit)
        case 62..<70: try count(visit)
        case 70..<76: try raise(visit)
        case 76..<80: try unfold(visit)
        case 80..<89: try tag(visit)
        case 89..<93: try untag(visit)
        case 93..<95: try deleteTag(visit)
        default: try deleteItem(visit)
        }
    }

    // MARK: What a person does

    private func pick(_ table: String, _ visit: Visit) throws -> Row? {
        visit.pick(try visit.rows("SELECT * FROM \(table) ORDER BY token"))
    }

    private func addList(_ visit: Visit) throws {
        let token = visit.identifier("l")
        visit.tell("adds the list \(token)")
        try visit.run("INSERT INTO list (token, name) VALUES (?, ?)", [token, "List \(token)"])
        visit.made("list/\(token)", ["name": "List \(token)"])
    }

    private func renameList(_ visit: Visit) throws {
        guard let list = try pick("list", visit) else { return }
        let (token, name): (String, String) = (list["token"], "List \(visit.identifier(""))")
        visit.tell("renames list \(token) to \(name)")
        try visit.run("UPDATE list SET name = ? WHERE token = ?", [name, token])
        visit.did("list/\(token)#name", from: list["name"], to: name)
    }

    /// What is in the list goes with it, by the foreign key.
    private func deleteList(_ visit: Visit) throws {
        guard let list = try pick("list", visit) else { return }
        let token: String = list["token"]
        visit.tell("deletes list \(token)")
        for item in try visit.rows("SELECT id, token FROM item WHERE list_id = ?", [list["id"] as Int]) {
            try noteDeletion(ofItem: item, visit)
        }
        try visit.run("DELETE FROM list WHERE token = ?", [token])
        visit.did("list/\(token)", from: "", to: nil)
    }

    private func addItem(_ visit: Visit) throws {
        guard let list = try pick("list", visit) else { return }
        let token = visit.identifier("i")
        visit.tell("adds item \(token) to \(list["token"] as String)")
        try visit.run(
            "INSERT INTO item (token, title, list_id) VALUES (?, ?, ?)",
            [token, "Title \(token)", list["id"] as Int]
        )
        visit.made(
            "item/\(token)",
            ["title": "Title \(token)", "list_id": list["token"], "after_id": "", "price": "-", "due": "- -"]
        )
    }

    private func deleteItem(_ visit: Visit) throws {
        guard let item = try pick("item", visit) else { return }
        visit.tell("deletes item \(item["token"] as String)")
        try noteDeletion(ofItem: item, visit)
        try visit.run("DELETE FROM item WHERE id = ?", [item["id"] as Int])
    }

    private func noteDeletion(ofItem item: Row, _ visit: Visit) throws {
        let (id, token): (Int, String) = (item["id"], item["token"])
        let links = "SELECT name FROM tag JOIN item_tag ON tag_id = tag.id WHERE item_id = ?"
        for tag in try visit.texts(links, [id]) { visit.did("item_tag/\(token)|\(tag)", from: "", to: nil) }
        visit.did("item/\(token)", from: "", to: nil)
        // What was done to it since the last synchronisation goes with it.
        for fact in visit.device.draft.changes.keys
        where fact.hasPrefix("word/\(token)|") || fact.hasPrefix("counted/\(token)|") {
            visit.did(fact, from: nil, to: nil)
        }
        // Who stood behind it only since then stands behind nothing: the store clears the reference, and nobody knew of it.
        for (fact, change) in visit.device.draft.changes where fact.hasSuffix("#after_id") && change.after == token {
            visit.did(fact, from: nil, to: "")
        }
    }

    /// Changes a column to a value that nobody entered before, or to a number.
    private func change(_ column: String, _ visit: Visit, _ value: (Visit) -> any DatabaseValueConvertible) throws {
        guard let item = try pick("item", visit) else { return }
        let (token, value): (String, any DatabaseValueConvertible) = (item["token"], value(visit))
        visit.tell("changes the \(column) of \(token) to \(value)")
        try visit.run("UPDATE item SET \(column) = ? WHERE token = ?", [value, token])
        visit.did("item/\(token)#\(column)", from: Self.text(item[column]), to: "\(value)")
    }

    private func move(_ visit: Visit) throws {
        guard let item = try pick("item", visit), let list = try pick("list", visit) else { return }
        let from = try visit.text("SELECT token FROM list WHERE id = ?", [item["list_id"] as Int])
        let token: String = item["token"]
        visit.tell("moves item \(token) to \(list["token"] as String)")
        try visit.run("UPDATE item SET list_id = ? WHERE token = ?", [list["id"] as Int, token])
        visit.did("item/\(token)#list_id", from: from, to: list["token"])
    }

    /// Puts an item behind another.
    private func put(_ visit: Visit) throws {
        guard let item = try pick("item", visit), let other = try pick("item", visit) else { return }
        let from = try visit.text("SELECT token FROM item WHERE id = ?", [item["after_id"] as Int?])
        let token: String = item["token"]
        visit.tell("puts item \(token) behind \(other["token"] as String)")
        try visit.run("UPDATE item SET after_id = ? WHERE token = ?", [other["id"] as Int, token])
        visit.did("item/\(token)#after_id", from: from ?? "", to: other["token"])
    }

    private func setDue(_ visit: Visit) throws {
        guard let item = try pick("item", visit) else { return }
        let token: String = item["token"]
        let (day, time) = (visit.today, visit.chance(50) ? visit.text : nil)
        visit.tell("sets when \(token) is due to \(day) \(time ?? "-")")
        try visit.run("UPDATE item SET due_on = ?, due_at = ? WHERE token = ?", [day, time, token])
        visit.did("item/\(token)#due", from: Self.due(item), to: "\(day) \(time ?? "-")")
    }

    /// Writes a word into the text, or takes one out.
    private func write(_ visit: Visit) throws {
        guard let item = try pick("item", visit) else { return }
        let token: String = item["token"]
        var words = (item["body"] as String).split(separator: " ").map(String.init)
        if words.count > 3, visit.chance(25) {
            let word = words.remove(at: Int.random(in: words.indices, using: &visit.random))
            visit.tell("takes \(word) out of \(token)")
            visit.did("word/\(token)|\(word)", from: "", to: nil)
        } else {
            let word = visit.identifier("w")
            words.insert(word, at: Int.random(in: 0...words.count, using: &visit.random))
            visit.tell("writes \(word) into \(token)")
            visit.made("word/\(token)|\(word)")
        }
        try visit.run("UPDATE item SET body = ? WHERE token = ?", [words.joined(separator: " "), token])
        visit.did("item/\(token)#body", from: item["body"], to: words.joined(separator: " "))
    }

    private func count(_ visit: Visit) throws {
        guard let item = try pick("item", visit) else { return }
        let (token, amount): (String, Int) = (item["token"], visit.pick([-2, -1, 1, 2, 5]) ?? 1)
        visit.tell("counts \(amount) of \(token)")
        try visit.run("UPDATE item SET count = count + ? WHERE token = ?", [amount, token])
        visit.did("item/\(token)#counted", from: nil, to: visit.identifier("c"))
        visit.made("counted/\(token)|\(visit.identifier("c"))|\(amount)")
    }

    /// Raises what is the greatest, or lowers what is the smallest.
    private func raise(_ visit: Visit) throws {
        guard let item = try pick("item", visit) else { return }
        let (token, column): (String, String) = (item["token"], visit.chance(50) ? "best" : "first")
        let step = Int.random(in: 1...9, using: &visit.random)
        let value = (item[column] as Int? ?? 100) + (column == "best" ? step : -step)
        visit.tell("sets \(column) of \(token) to \(value)")
        try visit.run("UPDATE item SET \(column) = ? WHERE token = ?", [value, token])
        visit.did("item/\(token)#\(column)", from: Self.text(item[column]), to: "\(value)")
    }

    /// Unfolds an item on this device.
    private func unfold(_ visit: Visit) throws {
        guard let item = try pick("item", visit) else { return }
        let (token, number): (String, Int) = (item["token"], Int.random(in: 1...9, using: &visit.random))
        try visit.run("UPDATE item SET is_open = ? WHERE token = ?", [number, token])
        visit.device.memory.unfolded[token] = number
    }

    private func tag(_ visit: Visit) throws {
        guard let item = try pick("item", visit), let name = visit.pick(Self.tags) else { return }
        let token: String = item["token"]
        visit.tell("tags \(token) as \(name)")
        if try visit.count("SELECT count(*) FROM tag WHERE name = ?", [name]) == 0 {
            try visit.run("INSERT INTO tag (name) VALUES (?)", [name])
            visit.made("tag/\(name)")
        }
        let number = try visit.count("SELECT id FROM tag WHERE name = ?", [name])
        let link: StatementArguments = [item["id"] as Int, number]
        guard try visit.count("SELECT count(*) FROM item_tag WHERE item_id = ? AND tag_id = ?", link) == 0 else {
            return
        }
        try visit.run("INSERT INTO item_tag VALUES (?, ?)", link)
        visit.made("item_tag/\(token)|\(name)")
    }

    private func untag(_ visit: Visit) throws {
        let sql = """
            SELECT item_id, tag_id, token, name FROM item_tag JOIN item ON item.id = item_id JOIN tag ON tag.id = tag_id
                ORDER BY token, name
            """
        guard let link = visit.pick(try visit.rows(sql)) else { return }
        let (token, name): (String, String) = (link["token"], link["name"])
        visit.tell("takes the tag \(name) off \(token)")
        try visit.run("DELETE FROM item_tag WHERE item_id = ? AND tag_id = ?", [link[0] as Int, link[1] as Int])
        visit.did("item_tag/\(token)|\(name)", from: "", to: nil)
    }

    private func deleteTag(_ visit: Visit) throws {
        guard let name = visit.pick(try visit.texts("SELECT name FROM tag ORDER BY name")) else { return }
        visit.tell("deletes the tag \(name)")
        let links = """
            SELECT token FROM item JOIN item_tag ON item_id = item.id JOIN tag ON tag.id = tag_id WHERE name = ?
            """
        for token in try visit.texts(links, [name]) { visit.did("item_tag/\(token)|\(name)", from: "", to: nil) }
        try visit.run("DELETE FROM tag WHERE name = ?", [name])
        visit.did("tag/\(name)", from: "", to: nil)
    }

    // MARK: What there is

    private static let itemRows = """
        SELECT i.*, l.token AS list, o.token AS after FROM item i LEFT JOIN list l ON l.id = i.list_id
            LEFT JOIN item o ON o.id = i.after_id ORDER BY i.token
        """
    private static let linkRows = """
        SELECT i.token || '|' || t.name FROM item_tag LEFT JOIN item i ON i.id = item_id LEFT JOIN tag t ON t.id = tag_id
        """

    private static func text(_ value: (any DatabaseValueConvertible)?) -> String { value.map { "\($0)" } ?? "-" }
    private static func due(_ item: Row) -> String { "\(text(item["due_on"])) \(text(item["due_at"]))" }

    func facts(_ database: Database) throws -> [String: String] {
        var facts: [String: String] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT token, name FROM list") {
            facts["list/\(row[0] as String)"] = ""
            facts["list/\(row[0] as String)#name"] = row[1]
        }
        for name in try String.fetchAll(database, sql: "SELECT name FROM tag") { facts["tag/\(name)"] = "" }
        for link in try String.fetchAll(database, sql: Self.linkRows) { facts["item_tag/\(link)"] = "" }
        for item in try Row.fetchAll(database, sql: Self.itemRows) {
            let token: String = item["token"]
            facts["item/\(token)"] = ""
            facts["item/\(token)#title"] = item["title"]
            facts["item/\(token)#list_id"] = item["list"]
            facts["item/\(token)#after_id"] = item["after"] ?? ""
            facts["item/\(token)#price"] = Self.text(item["price"])
            facts["item/\(token)#due"] = Self.due(item)
            for word in (item["body"] as String).split(separator: " ") { facts["word/\(token)|\(word)"] = "" }
        }
        return facts
    }

    func sight(_ database: Database) throws -> [String] {
        let items = try Row.fetchAll(database, sql: Self.itemRows).map { row in
            row.filter { !["id", "list_id", "after_id", "is_open"].contains($0.0) }.map { "\($0.0) \($0.1)" }
                .joined(separator: ", ")
        }
        let others = try ["SELECT token, name FROM list", "SELECT name FROM tag", Self.linkRows].flatMap { sql in
            try Row.fetchAll(database, sql: sql).map { "\($0)" }.sorted()
        }
        return items + others
    }

    // MARK: The names of records

    func willSynchronise(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        try learn(database, life)
    }

    /// Learns which records of the store are those of the diary.
    private func learn(_ database: Database, _ life: Life) throws {
        guard try database.tableExists("satchel_key") else { return }
        let key = "JOIN satchel_key AS"
        let sql = """
            SELECT 'list/' || k.uid, 'list/' || token FROM list \(key) k ON (k.collection, k.id) = ('list', list.id)
            UNION ALL SELECT 'item/' || k.uid, 'item/' || token FROM item \(key) k ON (k.collection, k.id) = ('item', item.id)
            UNION ALL SELECT 'tag/' || k.uid, 'tag/' || name FROM tag \(key) k ON (k.collection, k.id) = ('tag', tag.id)
            UNION ALL SELECT 'item_tag/' || k.uid || '|' || o.uid, 'item_tag/' || token || '|' || name FROM item_tag
                JOIN item ON item.id = item_id \(key) k ON (k.collection, k.id) = ('item', item_id)
                JOIN tag ON tag.id = tag_id \(key) o ON (o.collection, o.id) = ('tag', tag_id)
            """
        for row in try Row.fetchAll(database, sql: sql) { life.names[row[0]] = row[1] }
    }

    // MARK: What the rules ask for

    func checkSynchronised(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        try learn(database, life)
        let broken = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
        if !broken.isEmpty { life.fault(.works, "\(device.name) has references that lead nowhere: \(broken)") }
        for row in try Row.fetchAll(database, sql: Self.itemRows) {
            let (token, number): (String, Int) = (row["token"], row["is_open"])
            guard number != device.memory.unfolded[token] ?? 0 else { continue }
            // A row that came back has what a new one has.
            guard number != 0 || !device.memory.threwAway && !mayHaveGone(token, life) else { continue }
            life.fault(.value, "\(device.name) has \(row), which was unfolded as \(device.memory.unfolded[token] ?? 0)")
        }
    }

    private func mayHaveGone(_ token: String, _ life: Life) -> Bool {
        life.diary.wasRemoved("item/\(token)")
            || life.diary.deeds["item/\(token)#list_id", default: []].contains { deed in
                life.diary.wasRemoved("list/\(deed.value ?? "")")
            }
    }

    func check(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        let found = try String.fetchAll(database, sql: "PRAGMA integrity_check")
        if found != ["ok"] { life.fault(.works, "\(device.name): \(found)") }
        var sums: [String: Int] = [:]
        for fact in life.diary.deeds.keys where fact.hasPrefix("counted/") {
            let parts = fact.dropFirst(8).split(separator: "|")
            sums[String(parts[0]), default: 0] += Int(parts[2]) ?? 0
        }
        for row in try Row.fetchAll(database, sql: Self.itemRows) {
            let token: String = row["token"]
            let words = (row["body"] as String).split(separator: " ")
            if Set(words).count < words.count { life.fault(.value, "\(device.name) has a word twice: \(row)") }
            guard !life.diary.wasRemoved("item/\(token)") else { continue }
            func entered(_ column: String) -> [Int] {
                life.diary.deeds["item/\(token)#\(column)", default: []].compactMap { Int($0.value ?? "") }
            }
            let expected: [Int?] = [sums[token] ?? 0, entered("best").max(), entered("first").min()]
            if [row["count"], row["best"], row["first"]] as [Int?] != expected {
                life.fault(.value, "\(device.name) shows \(row), expected \(expected)")
            }
        }
    }

    /// What was in a deleted list, or of a deleted item or tag, waits for it.
    func mayLack(_ fact: String, _ device: LifeDevice, _ life: Life, _ facts: [String: String]) -> Bool {
        let parts = fact.split(separator: "/", maxSplits: 1)
        let names = parts[1].split(separator: "|").map(String.init)
        switch parts[0] {
        case "counted": return true
        case "item":
            // An item that came back after a deletion may lack the list that only the deleter knew of.
            let lists =
                life.diary.wasRemoved(fact)
                ? Set(life.diary.deeds["\(fact)#list_id", default: []].map(\.value))
                : life.diary.standing("\(fact)#list_id")
            return lists.contains { facts["list/\($0 ?? "")"] == nil }
        case "tag":
            // A device that joins with a tag that others have as well has theirs: who deletes it deletes it there, too.
            let all = life.diary.deeds[fact] ?? []
            let removals = all.filter { $0.value == nil }
            return all.allSatisfy { deed in
                deed.seen.isEmpty || removals.contains { $0.knows(deed) } || deed.value == nil
            }
        case "item_tag": return facts["item/\(names[0])"] == nil || facts["tag/\(names[1])"] == nil
        case "word": return facts["item/\(names[0])"] == nil || isContested(names[0], life)
        default: return false
        }
    }

    func mayKeep(_ fact: String, _ device: LifeDevice, _ life: Life) -> Bool {
        if wentWithOther(fact, life.diary) { return true }
        guard fact.hasPrefix("word/"), let item = fact.dropFirst(5).split(separator: "|").first else { return false }
        return isContested(String(item), life)
    }

    /// Whether somebody removed an item with its list, or a tag's link with the item or the tag, that is there all the same.
    private func wentWithOther(_ fact: String, _ diary: Diary) -> Bool {
        func isThere(_ other: String) -> Bool {
            diary.wasRemoved(fact, with: other) && (diary.isThere(other) || wentWithOther(other, diary))
        }
        let parts = fact.split(separator: "/", maxSplits: 1)
        switch parts[0] {
        case "item": return diary.deeds["\(fact)#list_id", default: []].contains { isThere("list/\($0.value ?? "")") }
        case "item_tag":
            let names = parts[1].split(separator: "|", maxSplits: 1)
            return names.count == 2 && (isThere("item/\(names[0])") || isThere("tag/\(names[1])"))
        default: return false
        }
    }

    /// Whether a text stands in a conflict, or did until somebody decided for one of several.
    private func isContested(_ item: String, _ life: Life) -> Bool {
        life.listed.contains("item/\(item)#body") || life.diary.doubtful.contains("item/\(item)#body")
            || life.diary.wasRemoved("item/\(item)") || wasDecidedByEditing(item, life)
    }

    /// Whether somebody wrote a text who knew of two that others had written without knowing of each other.
    private func wasDecidedByEditing(_ item: String, _ life: Life) -> Bool {
        let all = life.diary.deeds["item/\(item)#body"] ?? []
        return all.contains { last in
            let known = all.filter(last.knows)
            return known.contains { one in
                known.contains { $0.author != one.author && !$0.knows(one) && !one.knows($0) }
            }
        }
    }

    /// A reference to what is gone is empty.
    func mayDiffer(_ fact: String, _ shown: String, _ life: Life, _ facts: [String: String]) -> Bool {
        fact.hasSuffix("#after_id") && shown.isEmpty
            && life.diary.standing(fact).contains { facts["item/\($0 ?? "")"] == nil }
    }
}
