import Foundation
import Testing
import TestSupport

/// A Syncthing of a device, which carries its copy of the directory.
private final class Syncthing {
    private let program: String
    private let sandbox = try? Sandbox()
    private let name: String
    private let folder: String
    private let port: Int
    private(set) var identifier = ""
    private var running: Background?

    private var home: String { sandbox?.path("syncthing") ?? "" }
    var said: String { running?.said ?? "" }

    init(_ program: String, _ name: String, folder: String) async throws {
        self.program = program
        self.name = name
        self.folder = folder
        port = try Background.freePort()
        let sandbox = try #require(sandbox)
        let made = try await sandbox.run(program, ["generate", "--home=\(home)"])
        try #require(made.status == 0, "\(made.errors)\(made.output)")
        identifier = try await sandbox.run(program, ["--home=\(home)", "--device-id"]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        // Without it Syncthing takes the folder for one that is not mounted.
        try FileManager.default.createDirectory(atPath: folder + "/.stfolder", withIntermediateDirectories: true)
    }

    /// Starts it, sharing the folder with another.
    func start(with other: Syncthing) throws {
        try Data(configuration(other).utf8).write(to: URL(filePath: home + "/config.xml"))
        let options = ["serve", "--home=\(home)", "--no-browser", "--no-restart", "--no-upgrade"]
        running = try Background(program, options, log: home + "/log")
    }

    func stop() {
        running?.stop()
        running = nil
    }

    /// No discovery and no relays: the two know where the other is.
    private func configuration(_ other: Syncthing) -> String {
        let devices = [self, other].map { one in
            """
            <device id="\(one.identifier)" name="\(one.name)" compression="never" introducer="false">
              <address>tcp://127.0.0.1:\(one.port)</address><paused>false</paused>
            </device>
            """
        }
        return """
            <configuration version="36">
              <folder id="satchel" path="\(folder)" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true"
                fsWatcherDelayS="1">
                <device id="\(identifier)"></device><device id="\(other.identifier)"></device>
                <maxConflicts>10</maxConflicts>
              </folder>
              \(devices.joined(separator: "\n"))
              <gui enabled="false"></gui>
              <options>
                <listenAddress>tcp://127.0.0.1:\(port)</listenAddress>
                <globalAnnounceEnabled>false</globalAnnounceEnabled>
                <localAnnounceEnabled>false</localAnnounceEnabled>
                <relaysEnabled>false</relaysEnabled>
                <natEnabled>false</natEnabled>
                <reconnectionIntervalS>1</reconnectionIntervalS>
                <startBrowser>false</startBrowser>
                <urAccepted>-1</urAccepted>
                <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
                <crashReportingEnabled>false</crashReportingEnabled>
              </options>
            </configuration>
            """
    }
}

@Suite("Syncthing", .serialized)
struct SyncthingTests {
    @Test(
        "Two devices with Syncthing between them come in step, online and after one was offline",
        .needs("syncthing")
    )
    func twoInstances() async throws {
        let program = try #require(Background.find("syncthing"))
        let (laptop, phone) = (try Peer("Laptop"), try Peer("Phone"))
        try laptop.addTasks(20)
        let one = try await Syncthing(program, "laptop", folder: laptop.folder)
        let other = try await Syncthing(program, "phone", folder: phone.folder)
        try await laptop.initialise()
        try one.start(with: other)
        try other.start(with: one)
        let hasArrived = try await wait(seconds: longest) {
            try FileManager.default.contentsOfDirectory(atPath: phone.folder).contains { $0.hasSuffix(".root") }
        }
        try #require(hasArrived, "\(one.said)\n\(other.said)")
        try phone.addTask("phone's own")
        try await phone.join()
        #expect(try await inStep(laptop, phone, seconds: longest), "at first: \(one.said)")

        for round in 0..<3 {
            for peer in [laptop, phone] {
                try peer.addTask("\(peer.name) \(round)")
                try peer.setTitle("t\(round)", "as \(peer.name) has it in round \(round)")
                _ = try await peer.foldersync("sync")
            }
        }
        #expect(try await inStep(laptop, phone, seconds: longest), "online: \(one.said)")

        other.stop()
        for round in 3..<6 {
            for peer in [laptop, phone] {
                try peer.addTask("\(peer.name) \(round)")
                try peer.setTitle("t\(round)", "as \(peer.name) has it in round \(round)")
                try peer.removeTask("t1\(peer === laptop ? round : round + 3)")
                _ = try await peer.foldersync("sync")
            }
        }
        try other.start(with: one)
        #expect(try await inStep(laptop, phone, seconds: longest), "after a time offline: \(one.said)")
        try expectEqual(laptop, phone)
        #expect(try laptop.titles().count == 20 + 1 + 12 - 6)
        for peer in [laptop, phone] {
            #expect(try Transport.files(peer.folder).filter { $0.contains("sync-conflict") } == [])
            #expect(try await peer.foldersync("verify").status == 0)
        }
        one.stop()
        other.stop()
    }
}
