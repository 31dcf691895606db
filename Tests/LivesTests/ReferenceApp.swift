import DirectorySync
import RecordStore
import SQLiteDatabase
import TestSupport

/// An app as its document describes it, working with SQL on its database.
///
/// It knows nothing of synchronisation: what it finds in its database is all that it knows.
protocol ReferenceApp: AnyObject {
    var app: AppID { get }
    /// Whether SQLite looks after references while the app works.
    var enforcesForeignKeys: Bool { get }
    /// Makes the database as the app does when it is started for the first time.
    func make(at path: String, _ random: inout SeededGenerator) throws
    /// What the app does when it is opened, before a person does anything.
    func open(_ visit: Visit) throws
    /// One thing that a person does.
    func act(_ visit: Visit) throws
    /// Everything that is there, by the names that the diary has for it.
    func facts(_ database: Database) throws -> [String: String]
    /// What a person sees on each device alike, as lines.
    func sight(_ database: Database) throws -> [String]
    /// What a person has on this device, to be compared around a synchronisation.
    func treasures(_ database: Database, _ now: Int) throws -> [String: Int]
    /// What the app's rules ask for beyond what the diary does by itself.
    func check(_ database: Database, _ device: LifeDevice, _ life: Life) throws
    /// Looks at what is about to be synchronised.
    func willSynchronise(_ database: Database, _ device: LifeDevice, _ life: Life) throws
    /// What must hold on a device whenever it has synchronised.
    func checkSynchronised(_ database: Database, _ device: LifeDevice, _ life: Life) throws
    /// Whether a fact that is there by the diary may be missing on a device for a reason of the app's own.
    func mayLack(_ fact: String, _ device: LifeDevice, _ life: Life, _ facts: [String: String]) -> Bool
    /// Whether a fact that is gone by the diary may be there all the same.
    func mayKeep(_ fact: String, _ device: LifeDevice, _ life: Life) -> Bool
    /// Whether a member may be shown otherwise than the diary has it.
    func mayDiffer(_ fact: String, _ shown: String, _ life: Life, _ facts: [String: String]) -> Bool
    /// Whether less than before a synchronisation is right, by what the diary says.
    func mayShrink(_ treasure: String, _ device: LifeDevice, _ life: Life) -> Bool
}

extension ReferenceApp {
    var enforcesForeignKeys: Bool { false }
    func treasures(_ database: Database, _ now: Int) throws -> [String: Int] { [:] }
    func check(_ database: Database, _ device: LifeDevice, _ life: Life) throws {}
    func willSynchronise(_ database: Database, _ device: LifeDevice, _ life: Life) throws {}
    func checkSynchronised(_ database: Database, _ device: LifeDevice, _ life: Life) throws {}
    func mayLack(_ fact: String, _ device: LifeDevice, _ life: Life, _ facts: [String: String]) -> Bool { false }
    func mayKeep(_ fact: String, _ device: LifeDevice, _ life: Life) -> Bool { false }
    func mayDiffer(_ fact: String, _ shown: String, _ life: Life, _ facts: [String: String]) -> Bool { false }
    func mayShrink(_ treasure: String, _ device: LifeDevice, _ life: Life) -> Bool { false }
}

/// The app, open on a device, at a moment.
final class Visit {
    let life: Life
    let device: LifeDevice
    let database: Database
    /// The moment by the device's clock.
    private(set) var now: Int
    var random: SeededGenerator

    init(_ life: Life, _ device: LifeDevice, _ database: Database, now: Int, _ random: SeededGenerator) {
        self.life = life
        self.device = device
        self.database = database
        self.now = now
        self.random = random
    }

    var today: String { Calendar.appDay(now) }
    var text: String { Calendar.text(now) }

    /// Some time goes by.
    func pass(_ minutes: ClosedRange<Int>) { now += Int.random(in: minutes, using: &random) * Calendar.minute + 1000 }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    /// An identifier that nobody else gives; later ones are greater.
    func identifier(_ prefix: String) -> String { life.identifier(prefix, device) }

    /// Notes what a person did to a fact.
    func did(_ fact: String, from before: String?, to after: String?) {
        device.draft.did(fact, from: before, to: after)
    }

    /// Notes a new record with its members.
    func made(_ record: String, _ members: [String: String] = [:]) {
        did(record, from: nil, to: "")
        for (member, value) in members { did("\(record)#\(member)", from: nil, to: value) }
    }

    /// Writes into the diary in words.
    func tell(_ text: String) { life.tell(device, now, text) }

    // MARK: SQL

    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.execute(sql: sql, arguments: arguments)
    }

    func texts(_ sql: String, _ arguments: StatementArguments = []) throws -> [String] {
        try String.fetchAll(database, sql: sql, arguments: arguments)
    }

    func text(_ sql: String, _ arguments: StatementArguments = []) throws -> String? {
        try String.fetchOne(database, sql: sql, arguments: arguments)
    }

    func count(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try Int.fetchOne(database, sql: sql, arguments: arguments) ?? 0
    }

    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
        try Row.fetchAll(database, sql: sql, arguments: arguments)
    }
}
