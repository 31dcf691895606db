internal import FolderEncryption
internal import StrictJSON

extension SealedFiles {
    private var keyFolder: KeyFolder { KeyFolder(root, space) }

    func keyFaults() throws(DirectoryError) -> [DirectoryError] {
        let folder = keyFolder
        let listing = try folder.listing()
        let ring = self.ring
        var faults: [DirectoryError] = []
        // Of unknown epochs the listing tells.
        for file in listing.epochs where ring.key(file.id) != nil {
            if let fault = fault(of: file) { faults.append(fault) }
        }
        for file in listing.slots {
            if let fault = fault(of: file) { faults.append(fault) }
        }
        for file in listing.requests {
            do throws(DirectoryError) {
                _ = try folder.bytes(file.path, hash: file.hash, limit: Slot.mostBytes)
            } catch {
                if error.code != .gone { faults.append(error) }
            }
        }
        // The listing names a file that is missing.
        for epoch in [ring.current] + ring.beside
        where listing.epochs.contains(where: { $0.id == epoch.key.id }) && !hasFile(epoch, listing) {
            let message = "the file of the folder's key is damaged: no device can join; run foldersync repair"
            faults.append(DirectoryError(.incomplete, message, path: folder.absolute(EpochRecord.path(epoch.key.id))))
        }
        return faults
    }

    func repairKeys(isPreview: Bool) throws(DirectoryError) -> [String] {
        guard lock == nil else { return [] }
        let folder = keyFolder
        let listing = try folder.listing()
        let ring = self.ring
        let would = isPreview ? "would write" : "wrote"
        let wouldRemove = isPreview ? "would remove" : "removed"
        var notes: [String] = []
        for epoch in [ring.current] + ring.beside where !hasFile(epoch, listing) {
            if !isPreview { try folder.write(epoch.record, epoch.key) }
            notes.append("\(would) the file of the folder's key again")
        }
        for file in listing.epochs where ring.key(file.id) != nil && fault(of: file)?.code == .incomplete {
            if !isPreview { try FolderCalls.remove(folder.absolute(file.path)) }
            notes.append("\(wouldRemove) \(file.path), which was damaged; this device has the key that it held")
        }
        let slots = listing.slots.compactMap { try? folder.slot($0) }.filter { $0.epoch == ring.current.key.id }
        // Of the first key nobody needs a device's slot: who takes part has it.
        for member in membership.members where ring.current.record.number > 1 {
            let name = member.keyName
            guard !slots.contains(where: { $0.kind == .device && $0.device == name }) else { continue }
            if !isPreview {
                do {
                    try folder.write(Slot.device(member.publicKey, ring.current.key, space: space))
                } catch let error as DirectoryError {
                    throw error
                } catch {
                    throw DirectoryError(.inputOutput, "a slot cannot be made: \(error)", path: root)
                }
            }
            notes.append("\(would) the slot of the device \(member.device.name)")
        }
        var lacksSlot = false
        for (kind, command) in [(Slot.Kind.passphrase, "passphrase"), (.recovery, "recovery")]
        where !slots.contains(where: { $0.kind == kind }) {
            lacksSlot = true
            notes.append("the folder has no sound slot for a \(command): run foldersync key \(command)")
        }
        // While nothing serves in its place, it may be one that is still arriving.
        for file in listing.slots where !lacksSlot && fault(of: file)?.code == .incomplete {
            if !isPreview { try FolderCalls.remove(folder.absolute(file.path)) }
            notes.append("\(wouldRemove) \(file.path), which was damaged; others serve in its place")
        }
        return notes
    }

    private func hasFile(_ epoch: KeyRing.Epoch, _ listing: KeyFolder.Listing) -> Bool {
        listing.epochs.contains { $0.id == epoch.key.id && (try? keyFolder.record($0, epoch.key)) != nil }
    }

    private func fault(of file: KeyFolder.EpochFile) -> DirectoryError? {
        do throws(DirectoryError) {
            _ = try keyFolder.bytes(file.path, hash: file.hash, limit: 2 * EpochRecord.mostBytes)
            return nil
        } catch {
            return error.code == .gone ? nil : error
        }
    }

    private func fault(of file: KeyFolder.NamedFile) -> DirectoryError? {
        do {
            _ = try keyFolder.slot(file)
            return nil
        } catch let error as DirectoryError {
            return error.code == .gone ? nil : error
        } catch let error as EncryptionError {
            let code: DirectoryError.Code = error.code == .tooNew ? .newer : .corrupt
            return DirectoryError(code, error.message, path: keyFolder.absolute(file.path))
        } catch {
            return DirectoryError(.corrupt, "\(error)", path: keyFolder.absolute(file.path))
        }
    }
}
