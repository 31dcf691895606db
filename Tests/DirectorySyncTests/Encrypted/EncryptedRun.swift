import AgeFile
import DirectorySync
import FolderEncryption
import Foundation
import TestSupport
import Testing

/// Whether devices of the tests share encrypted folders: with SATCHEL_TEST_ENCRYPTED=1 the sets that never look at a file
/// of the folder by its name run once more over encrypted ones.
enum EncryptedRun {
    static let isOn = ProcessInfo.processInfo.environment["SATCHEL_TEST_ENCRYPTED"] == "1"

    static func locks(_ passphrase: String = "test") throws -> NewFolderLocks {
        NewFolderLocks(try AgePassphrase(passphrase), RecoveryCode(), workFactor: 10)
    }

    /// Makes a space, encrypted where the environment has a place for keys.
    static func makeSpace(in folder: String, _ environment: SyncEnvironment) throws -> String {
        guard environment.keys != nil else { return try Replica.makeSpace(in: folder, environment) }
        return try Replica.makeSpace(in: folder, locks(), environment)
    }

    /// Opens an encrypted folder for a device.
    static func unlock(_ folder: String, _ environment: SyncEnvironment, _ passphrase: String = "test") throws {
        guard let keys = try keys(folder, environment), !keys.isUnlocked else { return }
        _ = try keys.unlock(AgePassphrase(passphrase))
        try keys.announce(environment.device)
    }

    /// Encrypts a plain folder; the device has a place for keys from then on.
    static func encrypt(_ device: Device, _ passphrase: String = "test") throws {
        allowKeys(device)
        let keys = try #require(try keys(device.folder, device.environment))
        _ = try keys.encrypt(locks(passphrase), device.environment.device, device.environment)
    }

    /// Opens an encrypted folder for a device that took part in it when it was plain.
    static func goOver(_ device: Device, _ passphrase: String = "test") throws {
        allowKeys(device)
        try unlock(device.folder, device.environment, passphrase)
    }

    static func allowKeys(_ device: Device) {
        if device.environment.keys == nil {
            device.environment.keys = KeyStore(folder: device.sandbox.path("\(device.name)-keys"))
        }
    }

    static func keys(_ folder: String, _ environment: SyncEnvironment) throws -> FolderKeys? {
        guard let store = environment.keys else { return nil }
        return FolderKeys(folder, space: try Replica.space(of: folder), store)
    }
}
