import AgeFile
import DirectorySync
import FolderEncryption
import Foundation
import TestSupport

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

    static func keys(_ folder: String, _ environment: SyncEnvironment) throws -> FolderKeys? {
        guard let store = environment.keys else { return nil }
        return FolderKeys(folder, space: try Replica.space(of: folder), store)
    }
}
