package import AgeFile
package import FolderEncryption
package import RecordStore
internal import StrictJSON

/// The keys of an encrypted folder: who opens it, and how.
package struct FolderKeys {
    /// The folder.
    package let folder: String
    /// The space.
    package let space: String
    private let store: KeyStore
    private let files: KeyFolder

    /// The most passphrase slots that are tried, as each can cost a good part of a second.
    ///
    /// Who carries the folder can add false ones, so that there have to be more than the folder ever has.
    package static let mostTried = 64

    /// Makes the keys of a folder that exists.
    package init(_ folder: String, space: String, _ store: KeyStore) {
        (self.folder, self.space, self.store) = (folder, space, store)
        files = KeyFolder(folder, space)
    }

    /// True if this device has keys of the space.
    package var isUnlocked: Bool { store.hasKeys(of: space) }

    /// Returns whether a folder is encrypted: its marker says so, or it has keys.
    package static func isEncrypted(_ folder: String, space: String) -> Bool {
        // Who replaced the marker left the keys.
        if isEncryptedByKeys(folder, space: space) { return true }
        do throws(DirectoryError) {
            try SyncDirectory(listing: folder).check(space)
            return false
        } catch {
            return error.code == .noKey
        }
    }

    static func isEncryptedByKeys(_ folder: String, space: String) -> Bool {
        // Sealed files can arrive before the keys.
        if (try? FolderCalls.names(in: "\(folder)/\(StoredName.files)").names.isEmpty) == false { return true }
        guard let listing = try? KeyFolder(folder, space).listing() else { return false }
        return !listing.epochs.isEmpty || !listing.slots.isEmpty
    }

    /// Checks that the folder's marker is whole, so that it tells whether the folder is encrypted.
    ///
    /// - Throws: `DirectoryError` `incomplete` where it has not arrived, or is damaged.
    package static func checkMarker(_ folder: String, space: String) throws(DirectoryError) {
        let path = "\(folder)/\(Spaces.rootName(space))"
        let bytes = try? SharedFile(reading: path).bytes(limit: 1 << 16)
        guard let bytes, let marker = try? JSONDocument(parsing: bytes).root, marker["version"]?.int != nil else {
            let message =
                "the marker is damaged, or has not arrived whole, and only it tells whether the folder is encrypted: wait for"
                + " it, or let a device that takes part run foldersync repair; nothing was changed"
            throw DirectoryError(.incomplete, message, path: path)
        }
    }

    // MARK: Making

    /// Writes the keys of a new space: for the passphrase, the recovery code and this device.
    ///
    /// - Throws: `DirectoryError` where something cannot be written.
    static func make(
        _ folder: String,
        space: String,
        _ locks: NewFolderLocks,
        _ device: SyncDevice,
        _ store: KeyStore
    ) throws(DirectoryError) -> SealedFiles {
        let keys = FolderKeys(folder, space: space, store)
        return try keys.translating {
            let ring = KeyRing(space: space, device: try DeviceKey(), EpochKey(), EpochRecord())
            try store.save(ring)
            do {
                try keys.writeSlots(ring.current.key, locks, [ring.device.publicKey])
                try keys.files.write(ring.current.record, ring.current.key)
                let sealed = SealedFiles(folder, ring, store)
                try sealed.announce(device)
                return sealed
            } catch {
                try? store.remove(space)
                throw error
            }
        }
    }

    /// Removes what this device left of a folder that it was about to make when it was ended: keys and its own note, and no
    /// marker by which others could have joined.
    static func removeBeginning(in folder: String, _ store: KeyStore) {
        guard let spaces = try? SyncDirectory(listing: folder).spaces(), spaces.isEmpty else { return }
        for space in store.spaces {
            guard let ring = try? store.ring(of: space), isBeginning(folder, ring, store) else { continue }
            SyncDirectory(listing: folder).removeSealed()
            try? store.remove(space)
        }
    }

    private static func isBeginning(_ folder: String, _ ring: KeyRing, _ store: KeyStore) -> Bool {
        let keys = KeyFolder(folder, ring.space)
        let sealed = SealedFiles(folder, ring, store)
        guard let listing = try? keys.listing(), !listing.slots.isEmpty,
            listing.epochs.allSatisfy({ ring.key($0.id) != nil }), listing.requests.isEmpty,
            listing.slots.allSatisfy({ (try? keys.slot($0)).flatMap { ring.key($0.epoch) } != nil }),
            (try? sealed.refresh()) != nil,
            // The slots are written before the file of their key.
            sealed.problems.allSatisfy({ $0.path == keys.absolute(EpochRecord.path(ring.current.key.id)) })
        else { return false }
        return sealed.paths.allSatisfy { $0.hasPrefix("\(MemberNote.folder)/") && $0.contains(ring.device.name) }
    }

    // MARK: Encrypting a plain folder

    /// The steps from a plain to an encrypted folder.
    package enum Progress: Sendable {
        /// The folder is plain.
        case plain
        /// It has keys, but its marker says that it is plain: somebody began, and did not get to the end.
        case begun
        /// It is encrypted.
        case encrypted
    }

    /// Returns how far the encryption of the folder is.
    ///
    /// - Throws: `DirectoryError` where the folder is missing, is that of another space, or cannot be listed; `notEncrypted`
    ///   where this device has keys and the marker says that there are none.
    package func progress() throws -> Progress {
        if isUnlocked {
            guard let ring = try store.ring(of: space) else { return .encrypted }
            try SyncDirectory(folder, NoCompression(), SealedFiles(folder, ring, store)).check(space)
            return .encrypted
        }
        do throws(DirectoryError) {
            try SyncDirectory(listing: folder).check(space)
        } catch {
            if error.code == .noKey { return .encrypted }
            throw error
        }
        return try files.listing().epochs.isEmpty ? .plain : .begun
    }

    /// Returns the number of files that a plain folder has.
    ///
    /// - Throws: `DirectoryError` where it cannot be listed.
    package func plainFileCount() throws -> Int {
        let listing = try SyncDirectory(listing: folder).listing()
        return listing.segments.count + listing.packs.count + listing.checkpoints.count
    }

    /// Encrypts a plain folder: writes keys, seals every file again under its path, and lets the marker say so.
    ///
    /// - Parameter locks: The passphrase and the recovery code for the new keys.
    /// - Returns: The number of files that are sealed.
    /// - Throws: `DirectoryError` where something cannot be written; the folder is plain then, and the next try goes on.
    package func encrypt(
        _ locks: NewFolderLocks,
        _ device: SyncDevice,
        _ environment: SyncEnvironment
    ) throws -> Int {
        let ring = try translating { KeyRing(space: space, device: try DeviceKey(), EpochKey(), EpochRecord()) }
        return try encrypt(ring, device, environment) {
            try writeSlots(ring.current.key, locks, [ring.device.publicKey])
            try files.write(ring.current.record, ring.current.key)
        }
    }

    /// Goes on where an encryption was ended.
    ///
    /// - Parameter passphrase: The one that it was begun with.
    /// - Returns: The number of files that are sealed.
    /// - Throws: `EncryptionError` `wrongPassphrase`, `noSlot`; `DirectoryError`.
    package func encrypt(
        goingOnWith passphrase: AgePassphrase,
        _ device: SyncDevice,
        _ environment: SyncEnvironment
    ) throws -> Int {
        let found = try opened(passphrase).epochs
        guard let first = found.first else { return 0 }
        var ring = try translating { KeyRing(space: space, device: try DeviceKey(), first.key, first.record) }
        ring.unlock(found)
        return try encrypt(ring, device, environment) {
            try files.write(Slot.device(ring.device.publicKey, ring.current.key, space: space))
        }
    }

    private func encrypt(
        _ ring: KeyRing,
        _ device: SyncDevice,
        _ environment: SyncEnvironment,
        _ writeKeys: () throws -> Void
    ) throws -> Int {
        try translating {
            try store.checkPlace()
            for name in StoredName.folders { try FolderCalls.makeFolder(files.absolute(name)) }
            try writeKeys()
            let sealed = SealedFiles(folder, ring, store)
            try sealed.refresh()
            try sealed.announce(device)
            try sealed.beginTransition()
            let directory = SyncDirectory(folder, environment.compression, sealed)
            let found = try directory.takeInPlainFiles { _ in false }
            if let error = found.error { throw error }
            // Until here everybody goes on with the plain files. What they write meanwhile is taken in later. This device's keys
            // are on the disk before, and have their name afterwards: with it the folder must be encrypted.
            try store.save(ring) { () throws(DirectoryError) in try directory.replaceMarker(of: space) }
            return found.sealed
        }
    }

    private func writeSlots(_ key: EpochKey, _ locks: NewFolderLocks, _ publicKeys: [[UInt8]]) throws {
        try files.write(Slot.passphrase(locks.passphrase, key, space: space, workFactor: locks.workFactor))
        try files.write(Slot.recovery(locks.recovery, key, space: space))
        for publicKey in publicKeys { try files.write(Slot.device(publicKey, key, space: space)) }
    }

    private func translating<Result>(_ body: () throws -> Result) throws(DirectoryError) -> Result {
        do {
            return try body()
        } catch let error as DirectoryError {
            throw error
        } catch let error as EncryptionError {
            throw DirectoryError(DirectoryError.Code(error.code), error.message, path: folder)
        } catch {
            throw DirectoryError(.inputOutput, "\(error)", path: folder)
        }
    }

    // MARK: Unlocking

    /// Opens the folder with its passphrase; the keys are kept from then on.
    ///
    /// - Returns: What was found wrong with other slots.
    /// - Throws: `EncryptionError` `wrongPassphrase`, `noSlot`; `DirectoryError`. Nothing was changed then.
    package func unlock(_ passphrase: AgePassphrase) throws -> [String] {
        let (found, faults) = try opened(passphrase)
        try use(found)
        return faults
    }

    /// Counts the passphrase's slots of today's key, and those of them that a passphrase opens.
    package func slotCount(openedBy passphrase: AgePassphrase) throws -> (opened: Int, all: Int) {
        var faults: [String] = []
        let ring = try sealedFiles().ring
        let epochs = Set((ring.beside + [ring.current]).map(\.key.id))
        let slots = slots(of: try files.listing(), &faults)
            .filter { $0.kind == .passphrase && epochs.contains($0.epoch) }.prefix(Self.mostTried)
        return (try slots.count { try $0.open(with: passphrase) != nil }, slots.count)
    }

    private func opened(_ passphrase: AgePassphrase) throws -> (epochs: [KeyRing.Epoch], faults: [String]) {
        let isPlain = passphrase.withUnsafeBytes { bytes in bytes.allSatisfy { $0 < 0x80 } }
        let hint = isPlain ? "" : " (letters such as é have two forms, and another system may type the other one)"
        return try opened(.passphrase, "the passphrase opens none of the folder's slots\(hint)", .wrongPassphrase) {
            try $0.open(with: passphrase)
        }
    }

    /// Opens the folder with its recovery code; the keys are kept from then on.
    ///
    /// - Returns: What was found wrong with other slots.
    /// - Throws: `EncryptionError` `wrongRecoveryCode`, `noSlot`; `DirectoryError`. Nothing was changed then.
    package func unlock(_ code: RecoveryCode) throws -> [String] {
        let (found, faults) = try opened(
            .recovery,
            "the recovery code opens none of the folder's slots",
            .wrongRecoveryCode
        ) { $0.open(with: code) }
        try use(found)
        return faults
    }

    /// Opens the folder, and keeps nothing.
    private func opened(
        _ kind: Slot.Kind,
        _ wrong: String,
        _ code: EncryptionError.Code,
        _ open: (Slot) throws -> EpochKey?
    ) throws -> (epochs: [KeyRing.Epoch], faults: [String]) {
        let listing = try files.listing()
        var faults: [String] = []
        var tried = 0
        var opened: [EpochKey] = []
        let slots = slots(of: listing, &faults).filter { $0.kind == kind }
        // Slots of epochs whose file is there first.
        let known = Set(listing.epochs.map(\.id))
        let ordered = slots.filter { known.contains($0.epoch) } + slots.filter { !known.contains($0.epoch) }
        for slot in ordered where !opened.contains(where: { $0.id == slot.epoch }) {
            // A recovery code is not stretched: to try it costs nothing.
            if kind == .passphrase, tried == Self.mostTried { break }
            tried += 1
            if let key = try open(slot) { opened.append(key) }
        }
        guard !opened.isEmpty else {
            if tried < slots.count {
                faults.append(
                    "\(tried) of \(slots.count) slots were tried; a folder has few, so the others may be false"
                )
            }
            let beside = faults.isEmpty ? "" : " (\(faults.joined(separator: "; ")))"
            guard tried == 0 else { throw EncryptionError(code, "\(wrong)\(beside); nothing was changed") }
            let message =
                "the folder has no slot for that\(beside): wait until it has arrived, or let a device that takes part write"
                + " one, with foldersync key passphrase or key recovery"
            throw EncryptionError(.noSlot, message)
        }
        var found: [KeyRing.Epoch] = []
        for key in opened where !found.contains(where: { $0.key.id == key.id }) {
            for file in listing.epochs where file.id == key.id {
                do { found.append(.init(key: key, record: try files.record(file, key))) } catch {
                    faults.append("\(file.path): \(error)")
                }
            }
        }
        guard !found.isEmpty else {
            let message = "the file of the folder's key has not arrived yet, or is damaged; nothing was changed"
            throw DirectoryError(.incomplete, message, path: files.absolute(StoredName.keys))
        }
        return (found, faults)
    }

    /// Returns the slots that can be used, and notes what is wrong with the others.
    private func slots(of listing: KeyFolder.Listing, _ faults: inout [String]) -> [Slot] {
        var slots: [Slot] = []
        for file in listing.slots {
            do {
                slots.append(try files.slot(file))
            } catch let error as EncryptionError {
                faults.append("\(file.path): \(error.message)")
            } catch let error as DirectoryError {
                faults.append("\(file.path): \(error.message)")
            } catch {
                faults.append("\(file.path): \(error)")
            }
        }
        return slots
    }

    /// Keeps epochs that were opened; a device that has keys of the space keeps its own key.
    private func use(_ opened: [KeyRing.Epoch], device: DeviceKey? = nil) throws {
        try store.locked { () throws(DirectoryError) in
            try translating {
                let known = device == nil ? try? store.ring(of: space) : nil
                guard let first = opened.first else { return }
                var ring = try known ?? KeyRing(space: space, device: device ?? DeviceKey(), first.key, first.record)
                if known != nil, opened.allSatisfy({ ring.key($0.key.id) != nil }) { return }
                ring.unlock(opened)
                try store.save(ring)
            }
        }
    }

    /// Returns the reason why the folder's newest key is closed to this device; nil where it is open.
    ///
    /// - Throws: `DirectoryError` where this device has no key, or the folder cannot be read.
    package func closedKey() throws -> DirectoryError? {
        guard let lock = try sealedFiles().lock else { return nil }
        let message =
            "the folder's key was replaced, and what was given opens an earlier key only: give the passphrase or the recovery"
            + " code of today, wait until the new key has arrived, or, where a device admitted this one before that, ask again"
            + " with foldersync join --request; where two people replaced it at the same time, each with"
            + " a passphrase of their own, nothing opens both keys: run foldersync key rotate on a device that takes part"
        return DirectoryError(.noKey, message, path: lock.path)
    }

    /// Writes this device's note and slot, so that it gets the keys that come after this one.
    ///
    /// - Throws: `DirectoryError` where they cannot be written.
    package func announce(_ device: SyncDevice) throws {
        let sealed = try sealedFiles()
        try sealed.announce(device)
    }

    private func sealedFiles() throws -> SealedFiles {
        guard let ring = try store.ring(of: space) else {
            throw DirectoryError(.noKey, "this device has no key of the folder", path: folder)
        }
        let sealed = SealedFiles(folder, ring, store)
        try sealed.refresh()
        return sealed
    }

    // MARK: Requests

    /// Leaves a request of this device in the folder, or finds the one that it left.
    ///
    /// - Returns: The six words that both screens show.
    /// - Throws: `DirectoryError` where it cannot be written; `EncryptionError`.
    package func request() throws -> String {
        let key = try store.pendingKey(of: space) ?? DeviceKey()
        try store.setPendingKey(key, of: space)
        let request = JoinRequest(key.publicKey)
        try files.write(request.encoded(space: space)) { .request(hash: $0) }
        return request.words(space: space)
    }

    /// True if this device has left a request.
    package var hasRequest: Bool { ((try? store.pendingKey(of: space)) ?? nil) != nil }

    /// An answer to this device's request.
    package struct Answer {
        /// The words that the member's screen shows; they are compared before the answer is used.
        package let words: String
        let key: EpochKey
        let record: EpochRecord
        let device: DeviceKey
    }

    /// Returns the answers to this device's request.
    ///
    /// - Throws: `DirectoryError` where the folder cannot be read.
    package func answers() throws -> [Answer] {
        guard let device = try store.pendingKey(of: space) else { return [] }
        let listing = try files.listing()
        var faults: [String] = []
        var answers: [Answer] = []
        for slot in slots(of: listing, &faults) {
            guard let key = try slot.open(with: device),
                let file = listing.epochs.first(where: { $0.id == key.id }), let record = try? files.record(file, key)
            else { continue }
            answers.append(
                Answer(words: PairingWords.of(key, device.publicKey), key: key, record: record, device: device)
            )
        }
        return answers
    }

    /// Uses an answer whose words a person compared.
    ///
    /// - Throws: `DirectoryError` where the keys cannot be written.
    package func accept(_ answer: Answer) throws {
        try use([.init(key: answer.key, record: answer.record)], device: answer.device)
        let own = JoinRequest(answer.device.publicKey).encoded(space: space)
        for file in try files.listing().requests where file.hash == Hex.hash(own) {
            _ = try? FolderCalls.remove(files.absolute(file.path))
        }
        try store.setPendingKey(nil, of: space)
    }

    /// A request of another device.
    package struct Request: Sendable, Hashable {
        /// The six words that its screen shows.
        package let words: String
        let request: JoinRequest
        let path: String
    }

    /// Returns the requests in the folder.
    ///
    /// - Throws: `DirectoryError` where the folder cannot be read.
    package func requests() throws -> [Request] {
        try files.listing().requests.compactMap { file in
            guard let bytes = try? files.bytes(file.path, hash: file.hash, limit: Slot.mostBytes),
                let request = try? JoinRequest(reading: bytes, space: space)
            else { return nil }
            return Request(words: request.words(space: space), request: request, path: file.path)
        }
    }

    /// Gives a device the folder's key.
    ///
    /// - Returns: The words that the other device asks for.
    /// - Throws: `DirectoryError` where nothing can be written; `EncryptionError`.
    package func admit(_ request: Request) throws -> String {
        let sealed = try sealedFiles()
        if let lock = sealed.lock { throw lock }
        let key = sealed.ring.current.key
        // A key that was made at the same time as the current one is read as well; without it the device would wait.
        for epoch in sealed.ring.beside {
            try files.write(Slot.device(request.request.publicKey, epoch.key, space: space))
        }
        try files.write(Slot.device(request.request.publicKey, key, space: space))
        return PairingWords.of(key, request.request.publicKey)
    }

    // MARK: Changing

    /// Sets another passphrase; the folder's key stays the same.
    ///
    /// - Throws: `DirectoryError` where nothing can be written; `EncryptionError`.
    package func setPassphrase(_ passphrase: AgePassphrase) throws {
        try replaceSlots(.passphrase) { try Slot.passphrase(passphrase, $0, space: space) }
    }

    /// Sets another recovery code; the folder's key stays the same.
    ///
    /// - Throws: `DirectoryError` where nothing can be written; `EncryptionError`.
    package func setRecoveryCode(_ code: RecoveryCode) throws {
        try replaceSlots(.recovery) { try Slot.recovery(code, $0, space: space) }
    }

    private func replaceSlots(_ kind: Slot.Kind, _ make: (EpochKey) throws -> Slot) throws {
        let sealed = try sealedFiles()
        if let lock = sealed.lock { throw lock }
        // Slots of a key that another device made meanwhile may have arrived before its file.
        let before = try files.listing().slots.filter { file in
            guard let slot = try? files.slot(file) else { return false }
            return slot.kind == kind && sealed.ring.key(slot.epoch) != nil
        }
        // Of two keys that were made at the same time both are read, so that whoever joins needs both.
        for epoch in sealed.ring.beside + [sealed.ring.current] { try files.write(try make(epoch.key)) }
        for file in before { try FolderCalls.remove(files.absolute(file.path)) }
    }

    /// Replaces the folder's key.
    ///
    /// - Parameters:
    ///   - removed: The identifiers of devices that do not get the new one.
    ///   - locks: The passphrase and the recovery code for the new one.
    /// - Returns: The devices that have a slot for the new key.
    /// - Throws: `DirectoryError` where nothing can be written; `EncryptionError`.
    package func rotate(
        removing removed: Set<String> = [],
        _ locks: NewFolderLocks
    ) throws -> [SyncDevice] {
        let sealed = try sealedFiles()
        if let lock = sealed.lock { throw lock }
        var ring = sealed.ring
        let before = try files.listing().slots
        let (members, others) = sealed.membership
        let returned = Set(members.map { $0.device.id }).intersection(ring.removed)
        // A copy of another key of a device that takes part again stays without later ones.
        let old = others.filter { returned.contains($0.device.id) }.map(\.keyName)
        let (key, record) = ring.next(
            removing: removed.union(old),
            returning: returned,
            closed: sealed.counted(),
            heads: sealed.heads
        )
        let kept = members.filter { !record.removed.contains($0.device.id) }
        var publicKeys = kept.map(\.publicKey)
        if !publicKeys.contains(ring.device.publicKey) { publicKeys.append(ring.device.publicKey) }
        do {
            try writeSlots(key, locks, publicKeys)
            // A device that wrote with a key whose file is not in the folder would be read by nobody. So the file comes
            // first. Where this device then cannot keep the key, its slot has it.
            try store.locked { () throws(DirectoryError) in
                try files.write(record, key)
                _ = ring.adopt(key, record)
                try? store.save(ring)
            }
        } catch {
            // The file may have got its name before the error. Without the slots nobody could open it.
            let isThere = files.hasEpoch(key)
            if isThere == false { files.removeSlots(of: key.id) }
            guard isThere == true else { throw error }
        }
        // As above, the slots of unknown keys stay.
        for file in before {
            guard let slot = try? files.slot(file), sealed.ring.key(slot.epoch) != nil else { continue }
            _ = try? FolderCalls.remove(files.absolute(file.path))
        }
        return Self.devices(of: kept)
    }

    private static func devices(of members: [MemberNote]) -> [SyncDevice] {
        var devices: [SyncDevice] = []
        for member in members where !devices.contains(where: { $0.id == member.device.id }) {
            devices.append(member.device)
        }
        return devices
    }

    /// Seals with today's key the changes that a replaced key sealed and nobody counts, as a person decided.
    ///
    /// Whoever had the old key could have written them. Where a device was removed since, they stay out.
    ///
    /// - Parameter isPreview: Whether nothing is written.
    /// - Returns: The number of files that count from now on.
    /// - Throws: `DirectoryError` where this device lacks today's key, or the folder cannot be read.
    package func acceptLate(isPreview: Bool) throws -> Int { try acceptLate(isPreview: isPreview) { _, _ in true } }

    /// Seals with today's key what ``acceptLate(isPreview:)`` does of one app; of other apps it stays out.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - compression: The compression of the folder's files.
    ///   - isPreview: Whether nothing is written.
    /// - Returns: The number of files that count from now on.
    /// - Throws: As ``acceptLate(isPreview:)``.
    package func acceptLate(of app: AppID, _ compression: any Compression, isPreview: Bool) throws -> Int {
        let coder = SegmentCoder(compression)
        return try acceptLate(isPreview: isPreview) { $0.header(of: $1, coder)?.app == app }
    }

    private func acceptLate(
        isPreview: Bool,
        where isMeant: (SealedFiles, SealedFiles.LateFile) -> Bool
    ) throws -> Int {
        let sealed = try sealedFiles()
        if let lock = sealed.lock { throw lock }
        let paths = Set(sealed.late.filter { $0.canBeTakenIn && isMeant(sealed, $0) }.map(\.path))
        if isPreview { return paths.count }
        sealed.bringForward { paths.contains($0) }
        return paths.filter(sealed.isHeld).count
    }

    /// The state of the folder's keys.
    package struct Status: Sendable {
        /// The number of the epoch, from 1.
        package var number: Int
        /// The epoch's identifier.
        package var epoch: String
        /// The number of slots of each kind for the epoch.
        package var slots: [Slot.Kind: Int]
        /// The devices that get later keys.
        package var devices: [SyncDevice]
        /// The identifiers of devices that were removed.
        package var removed: Set<String>
        /// The number of requests.
        package var requests: Int
        /// The faults of the key files, in words.
        package var faults: [String]
    }

    /// Returns what is known of the folder's keys.
    ///
    /// - Throws: `DirectoryError` where this device has no key, or the folder cannot be read.
    package func status() throws -> Status {
        let sealed = try sealedFiles()
        let current = sealed.ring.current
        let listing = try files.listing()
        var faults: [String] = []
        var slots: [Slot.Kind: Int] = [:]
        for slot in self.slots(of: listing, &faults) where slot.epoch == current.key.id {
            slots[slot.kind, default: 0] += 1
        }
        let keys = files.absolute(StoredName.keys) + "/"
        faults += sealed.problems.filter { $0.code == .noKey || $0.path.hasPrefix(keys) }.map(\.message)
        if sealed.ring.isForked {
            faults.append(
                "the key was replaced on two devices at the same time: run foldersync key rotate on one of them, so that"
                    + " there is one key again and no removed device has it"
            )
        }
        let devices = Self.devices(of: sealed.membership.members)
        let returned = Set(devices.map(\.id))
        return Status(
            number: current.record.number,
            epoch: current.key.id.description,
            slots: slots,
            devices: devices,
            removed: sealed.ring.removed.filter { !MemberNote.isKeyName($0) && !returned.contains($0) },
            requests: try requests().count,
            faults: faults
        )
    }

    // MARK: Carriers

    /// The result of comparing stored files with their names.
    package struct Completeness: Sendable {
        /// The number of files whose bytes are those of their names.
        package var whole = 0
        /// The files that are cut, damaged or not downloaded, with the reason.
        package var faults: [(path: String, message: String)] = []
    }

    /// Compares every stored file with the hash in its name, which takes no key.
    ///
    /// - Throws: `DirectoryError` where the folder cannot be listed.
    package static func completeness(of folder: String, space: String) throws -> Completeness {
        let keys = KeyFolder(folder, space)
        var found = Completeness()
        func check(_ path: String, _ hash: String) {
            do throws(DirectoryError) {
                let file = try SharedFile(reading: keys.absolute(path))
                guard try file.storedHash() == hash else {
                    throw try file.isHollow()
                        ? SharedFile.notDownloaded(path) : SharedFile.incomplete(path, size: try file.storedSize())
                }
                found.whole += 1
            } catch {
                if error.code != .gone { found.faults.append((path, error.message)) }
            }
        }
        let listing = try keys.listing()
        for file in listing.epochs { check(file.path, file.hash) }
        for file in listing.slots + listing.requests { check(file.path, file.hash) }
        for name in try FolderCalls.names(in: keys.absolute(StoredName.files)).names.sorted() {
            let path = "\(StoredName.files)/\(name)"
            switch StoredName.read(name) {
            case .file(let stored, _): check(path, stored.hash)
            case .placeholder: found.faults.append((path, "a cloud drive did not download it"))
            case .ignored: break
            }
        }
        return found
    }
}

/// The ways by which people open a folder: a passphrase, and a recovery code where it is lost.
package struct NewFolderLocks: Sendable {
    /// The passphrase.
    package let passphrase: AgePassphrase
    /// The recovery code.
    package let recovery: RecoveryCode
    /// The work factor of scrypt; tests take a small one.
    package let workFactor: Int

    /// Makes locks.
    package init(
        _ passphrase: AgePassphrase,
        _ recovery: RecoveryCode,
        workFactor: Int = Slot.greatestWorkFactor
    ) {
        self.passphrase = passphrase
        self.recovery = recovery
        self.workFactor = workFactor
    }
}

extension SealedFiles {
    /// Writes this device's note, unless it is there, and that it takes part again where it was removed.
    ///
    /// - Throws: `DirectoryError` where nothing can be written, or a newer key is closed to this device.
    func announce(_ device: SyncDevice) throws(DirectoryError) {
        let ring = self.ring
        let note = MemberNote(device, ring.device.publicKey)
        if try !exists(note.path) { try write(note.encoded(), as: note.path) }
        // It has these keys only where somebody gave them to it after it was removed.
        for epoch in [ring.current] + ring.beside where epoch.record.removed.contains(device.id) {
            let path = MemberNote.again(device.id, keyName: note.keyName, epoch.key)
            if try !exists(path) { try makeEmpty(path) }
        }
    }

    /// The notes of the devices that get later keys, and the others.
    var membership: (members: [MemberNote], others: [MemberNote]) {
        let ring = self.ring
        let known = Set(paths)
        func isMember(_ note: MemberNote) -> Bool {
            let epochs = [ring.current] + ring.beside
            return !ring.removed.contains(note.keyName)
                && epochs.filter { $0.record.removed.contains(note.device.id) }.allSatisfy { epoch in
                    known.contains(MemberNote.again(note.device.id, keyName: note.keyName, epoch.key))
                }
        }
        let notes = members
        return (notes.filter(isMember), notes.filter { !isMember($0) })
    }

    /// The notes of all devices.
    var members: [MemberNote] {
        paths.compactMap { path in
            guard path.hasPrefix("\(MemberNote.folder)/"), let bytes = try? open(path).bytes(limit: 1 << 16),
                let note = MemberNote(reading: bytes), note.path == path
            else { return nil }
            return note
        }
    }

    /// The last change of each writer, by the names of files.
    var heads: [String: Int] {
        var heads: [String: Int] = [:]
        for path in paths {
            let parts = path.split(separator: "/")
            guard parts.count == 3, parts[0] == FileName.writers else { continue }
            let numbers = parts[2].split(separator: "-").dropLast().compactMap { Int($0) }
            let writer = String(parts[1])
            if let last = numbers.last { heads[writer] = max(heads[writer] ?? 0, last) }
        }
        return heads
    }
}

extension Replica {
    /// Makes a folder a shared one with a new space, all of whose files are encrypted.
    ///
    /// - Returns: The space's identifier.
    /// - Throws: `DirectoryError` where the folder is shared already, cannot be made or cannot be written; `usage`
    ///   where the environment has no place for keys.
    package static func makeSpace(
        in folder: String,
        _ locks: NewFolderLocks,
        _ environment: SyncEnvironment
    ) throws -> String {
        guard let keys = environment.keys else {
            throw DirectoryError(.usage, "there is no place for the keys of an encrypted folder", path: folder)
        }
        FolderKeys.removeBeginning(in: folder, keys)
        let space = environment.makeName(16)
        do {
            try SyncDirectory.create(
                at: folder,
                space: space,
                device: environment.device,
                now: Moments.text(environment.now())
            ) { () throws(DirectoryError) in
                try FolderKeys.make(folder, space: space, locks, environment.device, keys)
            }
        } catch {
            try? keys.remove(space)
            throw error
        }
        return space
    }
}
