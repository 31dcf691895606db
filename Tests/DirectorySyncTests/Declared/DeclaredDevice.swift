import AppList
import ArchiveCompression
import DirectorySync
import Foundation
import RecordStore
import SQLiteDatabase
import TestSupport

/// A device of a test with the database of an app that nobody wrote code for.
final class DeclaredDevice {
    let name: String
    let store: String
    let folder: String
    let environment: SyncEnvironment
    let time = Device.Clock()
    private let sandbox: Sandbox

    /// - Parameter schema: The SQL that makes the app's tables; nil for a store that is made of the declaration.
    init(_ name: String, _ schema: String?, in sandbox: Sandbox) throws {
        (self.name, self.sandbox) = (name, sandbox)
        store = sandbox.path("\(name).db")
        folder = sandbox.path("shared")
        let time = time
        environment = SyncEnvironment(
            apps: AppStores.all,
            compression: ArchiveCompression(),
            device: SyncDevice(id: String((name.lowercased() + "0000000000000000").prefix(16)), name: name),
            program: "foldersync test",
            now: { time.now }
        )
        if let schema { try run(schema) }
    }

    /// Devices with the same tables, the first of which has declared them; none has synchronised.
    static func group(_ names: [String], _ schema: String) throws -> [DeclaredDevice] {
        let sandbox = try Sandbox()
        return try names.map { try DeclaredDevice($0, schema, in: sandbox) }
    }

    /// Two devices that have joined.
    static func pair(_ schema: String, _ first: String = "", _ second: String = "") throws -> (
        laptop: DeclaredDevice, phone: DeclaredDevice
    ) {
        let devices = try group(["Laptop", "Phone"], schema)
        try devices[0].run(first)
        try devices[1].run(second)
        try devices[0].makeSpace()
        try devices[1].join()
        try devices[0].sync()
        return (devices[0], devices[1])
    }

    func makeSpace(_ declaration: AppDeclaration? = nil) throws {
        let declaration = try declaration ?? DatabaseDeclarer.declare(store, app: "test-app")
        try DeclaredStores.declare(declaration, store)
        let space = try Replica.makeSpace(in: folder, environment)
        try Replica.join(folder: folder, space: space, store: store, environment)
        try sync()
    }

    func join() throws {
        let declaration = try requireOne(Replica.declarations(in: folder))
        try DeclaredStores.declare(declaration, store)
        try Replica.join(folder: folder, space: Replica.space(of: folder), store: store, environment)
        try sync()
    }

    func replica() throws -> Replica { try Replica(folder: folder, store: store, environment) }

    @discardableResult
    func sync() throws -> SyncOutcome {
        time.advance(1000)
        return try replica().sync()
    }

    /// Runs SQL as the app does.
    func run(_ sql: String, foreignKeys: Bool = true) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = foreignKeys
        try DatabaseQueue(path: store, configuration: configuration).write { try $0.execute(sql: sql) }
    }

    /// The rows of a query, a text each.
    func rows(_ sql: String) throws -> [String] {
        try DatabaseQueue(path: store).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map { "\($0)" }.joined(separator: "|")
            }
        }
    }

    /// What SQLite finds wrong with the database.
    func faults() throws -> [String] {
        try rows("PRAGMA integrity_check").filter { $0 != "\"ok\"" } + rows("PRAGMA foreign_key_check")
    }
}

private struct NotOne: Error {}

private func requireOne<Element>(_ elements: [Element]) throws -> Element {
    guard elements.count == 1 else { throw NotOne() }
    return elements[0]
}
