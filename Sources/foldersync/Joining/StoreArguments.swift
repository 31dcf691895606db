internal import AppList
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import FormatKit
internal import RecordStore

/// The options of `init` and `join` that name stores and this device.
struct StoreArguments: ParsableArguments {
    @Option(
        name: .customLong("store"),
        parsing: .singleValue,
        help: ArgumentHelp("A store that takes part; may be repeated, one for each app.", valueName: "path"),
        completion: .file()
    )
    var stores: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Create an empty store that takes part; may be repeated.",
            valueName: "app=path"
        ),
        transform: NewStore.init(argument:)
    )
    var create: [NewStore] = []

    @Option(
        name: .customLong("app"),
        help: ArgumentHelp(
            "The declaration of the app whose database --store names; in a joined folder its identifier does as well.",
            valueName: "file"
        ),
        completion: .file()
    )
    var declaration: String?

    @Option(help: ArgumentHelp("What this device is called; by default as the machine.", valueName: "device"))
    var name: String?

    /// A store to make.
    struct NewStore {
        let app: AppID
        let path: String

        init(argument: String) throws {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let app = AppID(rawValue: String(parts[0])) else {
                let names = AppID.reserved.map(\.rawValue).joined(separator: ", ")
                throw ValidationError(Messages.newStoreExpected(names, found: argument))
            }
            self.app = app
            path = String(parts[1])
        }
    }

    /// True if no store is named.
    var isEmpty: Bool { stores.isEmpty && create.isEmpty }

    /// Gives a body the stores, made where they are to be made; where it fails, what was made goes again.
    ///
    /// - Parameters:
    ///   - shared: The shared folder.
    ///   - folder: The same with the stores that take part already; nil for a new one.
    /// - Throws: 64 for two stores of one app, and for a store in the shared folder, 65 and 66 where one is no store, 73 where one cannot be made, and what the
    ///   body throws.
    func withStores<Result>(
        in shared: ResolvedPath,
        joining folder: JoinedFolder?,
        _ body: ([JoinedStore]) throws -> Result
    ) throws -> Result {
        let declarations = try declarations(in: shared)
        var declared: [String] = []
        do {
            return try withStores(in: shared, joining: folder, declarations, &declared, body)
        } catch {
            for path in declared { try? DeclaredStores.undeclare(path) }
            throw error
        }
    }

    /// Returns the declarations that stores may have: the one that is named, else those in the folder.
    private func declarations(in shared: ResolvedPath) throws -> [AppDeclaration] {
        guard let declaration else { return Replica.declarations(in: shared.text, ThisDevice.keyStore) }
        if let there = Replica.declarations(in: shared.text, ThisDevice.keyStore).first(where: { $0.app == declaration }
        ) {
            return [there]
        }
        let file = try InputFile(reading: declaration, limit: AppDeclaration.mostBytes)
        return [try AppDeclaration(reading: file.bytes, name: file.name)]
    }

    /// Returns the declaration that a file has; nil where none is named, or only an identifier.
    func changed() throws -> AppDeclaration? {
        guard let declaration, FileFingerprint(declaration) != nil else { return nil }
        let file = try InputFile(reading: declaration, limit: AppDeclaration.mostBytes)
        return try AppDeclaration(reading: file.bytes, name: file.name)
    }

    /// - Parameter declared: Databases that were given a declaration.
    private func withStores<Result>(
        in shared: ResolvedPath,
        joining folder: JoinedFolder?,
        _ declarations: [AppDeclaration],
        _ declared: inout [String],
        _ body: ([JoinedStore]) throws -> Result
    ) throws -> Result {
        let stores = try resolved(joining: folder, declarations, &declared)
        if let inside = stores.first(where: { ResolvedPath($0.path).isWithin(shared) }) {
            throw CommandFailure(
                .usage,
                Messages.storeInsideFolder(inside.path)
            )
        }
        let paths = create.map { ResolvedPath($0.path).text }
        let ends = ["", ".foldersync"].flatMap { name in ["", "-wal", "-shm", "-journal"].map { name + $0 } }
        let new = NewFiles(paths.flatMap { path in ends.map { path + $0 } })
        do {
            for (store, path) in zip(create, paths) {
                let declaration = declarations.first { $0.id == store.app }
                if !AppID.reserved.contains(store.app), declaration == nil {
                    throw CommandFailure(
                        .usage,
                        Messages.notDeclared("\(store.app)", AppID.reserved.map(\.rawValue).joined(separator: ", "))
                    )
                }
                // An interrupted command leaves such a store.
                if let app = try? AppStores.all.app(of: path), app == store.app {
                    throw CommandFailure(.cannotCreate, Messages.storeIsThere(path, app.title))
                }
                try AppStores.all.make(store.app, at: path, declaration)
            }
            return try body(stores)
        } catch {
            new.remove()
            throw error
        }
    }

    /// Returns the stores that are named; it makes none.
    private func resolved(
        joining folder: JoinedFolder?,
        _ declarations: [AppDeclaration],
        _ declared: inout [String]
    ) throws -> [JoinedStore] {
        var found: [JoinedStore] = []
        for path in stores {
            let path = ResolvedPath(path).text
            if let app = try AppStores.all.app(of: path) {
                found.append(JoinedStore(app: app, path: path))
                continue
            }
            let declaration = try fitting(path, declarations)
            if let named = self.declaration, let misfit = try DeclaredStores.misfit(declaration, path) {
                throw CommandFailure(.badData, Messages.unfitDeclaration(named, path, misfit))
            }
            try DeclaredStores.declare(declaration, path)
            declared.append(path)
            found.append(JoinedStore(app: declaration.id, path: path))
        }
        found += create.map { JoinedStore(app: $0.app, path: ResolvedPath($0.path).text) }
        for (index, store) in found.enumerated() {
            // One that is there no more was moved.
            let there = (folder?.stores ?? []).filter { FileFingerprint($0.path) != nil && $0.path != store.path }
            let others = found[..<index] + there
            guard let other = others.first(where: { $0.app == store.app }) else { continue }
            throw CommandFailure(
                .usage,
                Messages.twoStores(store.path, other.path, store.app.title)
            )
        }
        return found
    }

    /// Returns the declaration of a database that has none yet.
    private func fitting(_ path: String, _ declarations: [AppDeclaration]) throws -> AppDeclaration {
        if declaration != nil, let named = declarations.first { return named }
        let fitting = declarations.filter { (try? DeclaredStores.misfit($0, path)) == .some(nil) }
        guard let first = fitting.first else {
            for declaration in declarations {
                guard let lack = try? DeclaredStores.shortcoming(declaration, path) else { continue }
                throw StoreError(.foreign, Messages.olderApp(declaration.title, lack), path: path)
            }
            throw StoreError(.foreign, Messages.foreignStore, path: path)
        }
        guard fitting.count == 1 else {
            let names = fitting.map(\.app).joined(separator: ", ")
            throw CommandFailure(.usage, Messages.severalDeclarations(path, names))
        }
        return first
    }
}

/// Files that are not there yet, and the folders above them that are not: a command that fails takes them away again.
struct NewFiles {
    private let files: [String]
    /// The deepest first.
    private let folders: [String]

    init(_ paths: [String]) {
        func isMissing(_ path: String) -> Bool { (try? Files.exists(path)) == false }
        files = paths.filter(isMissing)
        var missing: Set<String> = []
        for path in files { missing.formUnion(Files.foldersAbove(path).filter(isMissing)) }
        folders = missing.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Removes them.
    func remove() {
        for file in files { _ = try? Files.remove(file) }
        removeFolders()
    }

    /// Removes the folders of them in which nothing is.
    func removeFolders() { for folder in folders { Files.removeFolder(folder) } }
}
