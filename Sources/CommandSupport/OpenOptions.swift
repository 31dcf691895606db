package import ArgumentParser
internal import CivilTime
internal import FileSystem
package import Pages
internal import SQLiteDatabase

/// The options of `open`: where the pages are shown.
package struct OpenOptions: ParsableArguments {
    @OptionGroup package var zone: TimeZoneOption
    @OptionGroup package var clock: NowOption

    @Option(help: ArgumentHelp("Write the pages as files into this folder, and end.", valueName: "folder"))
    package var export: String?

    @Flag(help: "Print the address, and open no browser.")
    package var noBrowser = false

    @Option(help: ArgumentHelp("Use this port of 127.0.0.1; by default a free one.", valueName: "number"))
    package var port = 0

    @Option(help: ArgumentHelp("End after so long without use.", valueName: "minutes"))
    package var idle = 30

    package init() {}

    package mutating func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535, found \(port)") }
        guard (1...1_440).contains(idle) else { throw ValidationError("--idle is 1 to 1440 minutes, found \(idle)") }
        guard export == nil || !noBrowser && port == 0 else {
            throw ValidationError("--export writes files: --no-browser and --port are not for it")
        }
    }

    /// Explains in the help of every `open` command how the pages are served.
    package static let discussion = """
        The pages are served to this machine alone, at an address that works once. --export writes them as files that \
        need no program; these show, and change nothing.
        """

    /// Serves the pages until nobody uses them, or writes them as files.
    ///
    /// - Parameters:
    ///   - title: The name of the whole.
    ///   - sources: The pages.
    ///   - failure: What an error of a library means to the person who runs the program.
    /// - Throws: 73 where the port cannot be had or the folder takes no files.
    package func show(
        _ title: String,
        _ sources: [any PageSource],
        failure: @escaping @Sendable (any Error) -> CommandFailure?
    ) throws {
        let local = try zone.clock()
        let fixed = try clock.given(in: local)
        let site = Site(title, sources, now: { fixed ?? NowOption.present }, clock: local) { error in
            let known = error as? CommandFailure ?? failure(error)
            return ProgramNames.asCalled(known?.description ?? "\(error)")
        }
        if let export { return try write(site, to: export) }
        let listener: PageListener
        do throws(PageServerError) {
            listener = try PageListener(port: port)
        } catch {
            throw CommandFailure(.cannotCreate, error.message)
        }
        // One request after the other is answered: none waits long for a store that another program holds.
        Configuration.mostTimeout = 1
        var limits = PageServer.Limits()
        limits.idle = .seconds(idle * 60)
        var server = PageServer(listener, site, limits: limits)
        let end = "They end when nobody uses them for \(Words.count(idle, "minute")), or with Ctrl-C."
        try StandardOutput.shared.write("The pages are at \(server.address)\n\(end)\n")
        try StandardOutput.shared.flush()
        if !noBrowser, !Browser.start(server.address) {
            StandardError.write("warning: no program opens addresses here; open it in a browser\n")
        }
        server.run()
    }

    private func write(_ site: Site, to folder: String) throws {
        try Self.check(folder)
        var names: Set<String> = []
        let progress = ProgressLine()
        let count = try PageExport.make(site) { file in
            try Self.write(file.bytes, to: "\(folder)/\(file.name)")
            names.insert(file.name)
            progress.show("Writing pages", done: names.count, of: nil)
        }
        progress.end()
        let listing = try FolderListing(folder)
        try listing.remove(
            listing.files.map(\.name).filter {
                $0.hasSuffix(".html") && !names.contains($0) && Self.isPage("\(folder)/\($0)")
            }
        )
        let first = "\(folder)/index.html"
        try StandardOutput.shared.report(
            TerminalText.safe("Wrote \(Words.count(count, "page")), from \(first) on.") + "\n"
        )
    }

    /// Writes a page, which only this user may read: the pages tell what the apps know.
    private static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        do throws(FileError) {
            _ = try Files.modeToKeep(path)
            try Files.replace(path, withContent: bytes, mode: 0o600)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes the folder, or checks that it is empty or holds an earlier export.
    private static func check(_ folder: String) throws(CommandFailure) {
        guard OutputFile(folder).isTaken else {
            do throws(FileError) {
                try Files.makeFolder(folder, mode: 0o700)
            } catch {
                throw CommandFailure(error)
            }
            return
        }
        let listing = try FolderListing(folder)
        guard listing.files.isEmpty || isPage("\(folder)/index.html") else {
            throw CommandFailure(
                .usage,
                "\(folder) is neither empty nor an earlier export: name a new folder; nothing was written"
            )
        }
    }

    private static func isPage(_ path: String) -> Bool {
        (try? InputFile.head(of: path)).map { String(decoding: $0, as: UTF8.self).contains(HTMLPage.mark) } ?? false
    }
}
