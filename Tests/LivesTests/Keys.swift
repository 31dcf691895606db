import AgeFile
@testable import DirectorySync
import FolderEncryption
import Foundation
import StrictJSON
import Synchronization
import TestSupport

extension LifeDevice {
    /// What a file of an encrypted directory is.
    struct SealedEntry: Sendable {
        let path: String
        let epoch: EpochID
        let hash: String
        let size: Int
    }

    /// What files are, by their names, which have the hash of their bytes.
    private static let entries = Mutex<[String: SealedEntry]>([:])

    /// The keys of an encrypted directory.
    func keys() throws -> FolderKeys {
        FolderKeys(folder, space: try Replica.space(of: folder), KeyStore(folder: keyFolder))
    }

    /// This device's keys; nil where it has none.
    private func ring() throws -> KeyRing? {
        guard let space = try? Replica.space(of: folder) else { return nil }
        let file = "\(keyFolder)/\(space).keys"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        return try KeyRing(reading: Array(Data(contentsOf: URL(filePath: file))), space: space)
    }

    /// The sealed files among some that are whole and count for this device.
    func opened(among files: Set<String>) throws -> [String: SealedEntry] {
        guard let ring = try ring() else { return [:] }
        var found: [String: SealedEntry] = [:]
        for file in files where file.hasPrefix("sealed/") && file.hasSuffix(".sealed") {
            let name = file.dropFirst("sealed/".count)
            guard name.utf8.count == 72, let size = try? size(of: file) else { continue }
            var entry = Self.entries.withLock { $0[String(name)] }
            if entry == nil {
                let bytes = try Array(Data(contentsOf: URL(filePath: "\(folder)/\(file)")))
                let hash = String(name.dropFirst(33).prefix(32))
                guard Hex.hash(bytes) == hash, let header = try? SealedHeader(reading: bytes),
                    let (identity, _) = try? FileOpener.open(bytes, key: { ring.key($0) })
                else { continue }
                let new = SealedEntry(path: identity.path, epoch: header.epoch, hash: hash, size: bytes.count)
                Self.entries.withLock { $0[String(name)] = new }
                entry = new
            }
            guard let entry, entry.size == size, ring.key(entry.epoch) != nil,
                ring.counts(entry.epoch, hash: entry.hash)
            else { continue }
            found[file] = entry
        }
        return found
    }

    /// What can be said of a file that is the same in each life of a seed.
    func label(of file: String) throws -> String {
        let name = (file as NSString).lastPathComponent
        let path = Self.entries.withLock { $0[name]?.path } ?? ""
        return try "\((file as NSString).pathExtension) \(path) \(size(of: file))"
    }

    /// The content of a file of the directory's layout.
    func content(_ file: String) throws -> [UInt8] {
        guard isEncrypted else { return try Array(Data(contentsOf: URL(filePath: "\(folder)/\(file)"))) }
        guard let ring = try ring(), let stored = try opened(among: stored()).first(where: { $0.value.path == file })
        else { return [] }
        let bytes = try Array(Data(contentsOf: URL(filePath: "\(folder)/\(stored.key)")))
        return try FileOpener.open(bytes, key: { ring.key($0) }).content
    }
}

/// What people do with the keys of an encrypted directory.
extension Life {
    private static let passphrase = "correct horse battery staple"

    private func locks() throws -> NewFolderLocks {
        let code = RecoveryCode()
        recoveryCodes.append(code)
        return NewFolderLocks(try AgePassphrase(Self.passphrase), code, workFactor: 10)
    }

    func makeSpace(_ device: LifeDevice) throws -> String {
        guard device.isEncrypted else { return try Replica.makeSpace(in: device.folder, device.environment) }
        return try Replica.makeSpace(in: device.folder, locks(), device.environment)
    }

    /// Lets a new device into an encrypted directory: one in three asks for the key, the others open it by themselves.
    func introduce(_ device: LifeDevice, to first: LifeDevice) throws {
        let apps = try first.opened(among: first.stored()).filter { $0.value.path.hasPrefix("app/") }
        for file in try first.stored() where !file.hasPrefix("sealed/") || apps[file] != nil {
            try device.bring(file, from: first)
        }
        let keys = try device.keys()
        guard device.index % 3 == 2 else {
            _ = try keys.unlock(AgePassphrase(Self.passphrase))
            return try keys.announce(device.environment.device)
        }
        let words = try keys.request()
        try bringKeys(from: device, to: first)
        guard let request = try first.keys().requests().first(where: { $0.words == words }) else {
            return fault(.works, "\(first.name) does not see the request of \(device.name)")
        }
        try synchronise(first)
        let answer = try first.keys().admit(request)
        try bringKeys(from: first, to: device)
        guard let given = try keys.answers().first(where: { $0.words == answer }) else {
            return fault(.works, "\(device.name) does not see the answer to its request")
        }
        try keys.accept(given)
        try keys.announce(device.environment.device)
    }

    private func bringKeys(from: LifeDevice, to: LifeDevice) throws {
        let known = try to.stored()
        for file in try from.stored() where file.hasPrefix("keys/") && !file.contains("sync-conflict") {
            if try known.contains(file) && from.size(of: file) <= to.size(of: file) { continue }
            try to.bring(file, from: from)
        }
    }

    /// Goes on after a synchronisation that lacked a key: the person opens the directory once more, with what other devices
    /// have in their copies.
    func unlocked(_ device: LifeDevice, _ outcome: SyncOutcome, _ replica: Replica) throws -> SyncOutcome {
        guard outcome.issues.contains(where: { $0.kind == .noKey }) else { return outcome }
        tell(device, device.now, "opens the directory again, as a key is missing")
        for other in devices where other !== device && other.isJoined && !other.isPhone && !other.isRemoved {
            try bringKeys(from: other, to: device)
        }
        _ = try device.keys().unlock(AgePassphrase(Self.passphrase))
        try device.keys().announce(device.environment.device)
        let again = try replica.sync()
        if let issue = again.issues.first(where: { $0.kind == .noKey }) {
            fault(.works, "\(device.name) still lacks a key: \(issue.path): \(issue.message)")
        }
        return again
    }

    func rotate(_ device: LifeDevice) throws {
        guard device.isJoined else { return }
        try synchronise(device)
        tell(device, device.now, "replaces the key")
        _ = try device.keys().rotate(locks())
        try synchronise(device)
    }

    /// The keys of a device go; nothing is written until the person opens the directory again.
    func loseKeys(_ device: LifeDevice, _ random: inout SeededGenerator) throws {
        guard device.isJoined else { return }
        tell(device, device.now, "loses its keys")
        try FileManager.default.removeItem(atPath: device.keyFolder)
        let before = try device.stored()
        do {
            _ = try device.replica().sync()
            fault(.works, "\(device.name) synchronises without keys")
        } catch let error as DirectoryError where error.code == .noKey {}
        if try device.stored() != before { fault(.works, "\(device.name) changed the directory without keys") }
        for other in devices where other !== device && other.isJoined && !other.isPhone && !other.isRemoved {
            try bringKeys(from: other, to: device)
        }
        do {
            if random.chance(50) { try unlockByRecovery(device) }
            try device.keys().announce(device.environment.device)
        } catch let error as DirectoryError where error.code == .noKey {
            // Not tried, or one code opens one of two keys that were made at the same time.
            _ = try device.keys().unlock(AgePassphrase(Self.passphrase))
            try device.keys().announce(device.environment.device)
        }
        try synchronise(device)
    }

    /// Tries the person's recovery codes, the newest first.
    private func unlockByRecovery(_ device: LifeDevice) throws {
        for code in recoveryCodes.reversed() {
            do {
                _ = try device.keys().unlock(code)
                return
            } catch let error as EncryptionError where error.code == .wrongRecoveryCode {}
        }
        fault(.works, "no recovery code opens the directory for \(device.name)")
    }

    /// A member removes a device, all of whose doings it has; what that one writes from then on counts nowhere.
    func remove(_ device: LifeDevice, by member: LifeDevice) throws {
        guard device.isJoined, member.isJoined else { return }
        for (from, to) in [(member, device), (device, member)] {
            try deliverAll(from: from, to: to)
            try synchronise(to)
        }
        guard member.seen[device.author] ?? 0 == diary.count(device.author) else { return }
        tell(member, member.now, "removes \(device.name)")
        device.isRemoved = true
        _ = try member.keys().rotate(removing: [device.environment.device.id], locks())
        try synchronise(member)
        let before = try (member.stored(), member.read { try member.app.sight($0) })
        // The removed device does not know yet, and goes on. Nothing of that belongs into the diary.
        let (diary, names) = (self.diary, self.names)
        try device.write { database in
            let visit = Visit(self, device, database, now: device.now, SeededGenerator(seed: script.seed))
            try device.app.open(visit)
            for _ in 0..<5 { try device.app.act(visit) }
        }
        do {
            _ = try device.replica().sync()
        } catch let error as SyncError where error.code == .massChange {
            _ = try device.replica().sync(.accept(error.massChange ?? 0))
        }
        (self.diary, self.names) = (diary, names)
        let sent = try device.stored().subtracting(before.0)
        for file in sent where !file.contains("sync-conflict") { try member.bring(file, from: device) }
        try synchronise(member)
        if try member.read({ try member.app.sight($0) }) != before.1 {
            fault(.works, "\(member.name) shows what \(device.name) wrote after it was removed")
        }
        for file in sent { try? FileManager.default.removeItem(atPath: "\(member.folder)/\(file)") }
    }

    /// At the end one key is left, as the program asks for where two people replaced it at the same time.
    func agreeOnKey(_ stores: [LifeDevice]) throws {
        for _ in 0..<2 {
            for device in stores {
                for other in stores where other !== device { try deliverAll(from: other, to: device) }
                try synchronise(device)
            }
        }
        guard
            let forked = try stores.first(where: { try $0.keys().status().faults.contains { $0.contains("same time") } }
            )
        else { return }
        tell(forked, forked.now, "makes one key of two")
        _ = try forked.keys().rotate(locks())
        try synchronise(forked)
    }
}
