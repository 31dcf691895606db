import AgeFile
import FolderEncryption

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The package manager has renamed `main` and wants this one.
@_cdecl("FuzzKeys_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var count = count
    var arguments = arguments
    return withUnsafeMutablePointer(to: &arguments) { runDriver(&count, $0, test) }
}

private let key = EpochKey((0..<32).map { UInt8($0) })!
private let space = "0123456789abcdef"
private let device = try! DeviceKey()
private let code = RecoveryCode((0..<20).map { UInt8($0) })!

/// The first byte chooses how the rest is read: as a slot, a request, the record of an epoch, a file of keys, or a code.
private func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    // Each of these throws an error of its own kind, as the compiler knows.
    do throws(EncryptionError) {
        switch choice % 5 {
        case 0:
            let slot = try Slot(reading: bytes, space: space)
            precondition(slot.encoded() == bytes, "another form is accepted")
            if let key = slot.open(with: code) { precondition(key.id == slot.epoch) }
            let opened = try slot.open(with: device)
            precondition(opened == nil)
        case 1:
            let request = try JoinRequest(reading: bytes, space: space)
            let again = try JoinRequest(reading: request.encoded(space: space), space: space)
            precondition(again == request && request.words(space: space).split(separator: " ").count == 6)
            _ = try? Slot.device(request.publicKey, key, space: space)
        case 2:
            let record = try EpochRecord(reading: bytes, space: space)
            let text = record.encoded(space: space)
            precondition(try! EpochRecord(reading: text, space: space).encoded(space: space) == text)
            var ring = KeyRing(space: space, device: device, key, EpochRecord())
            let other = EpochKey((0..<32).map { UInt8(255 - $0) })!
            _ = ring.adopt(other, record)
            ring.unlock(other, record)
            precondition(ring.key(key.id) != nil, "a key is lost")
            _ = ring.next(removing: [], closed: [], heads: [:])
        case 3:
            let ring = try KeyRing(reading: bytes, space: space)
            let text = ring.encoded()
            precondition(try! KeyRing(reading: text, space: space).encoded() == text)
        default:
            let text = String(decoding: bytes, as: UTF8.self)
            let code = try RecoveryCode(reading: text)
            precondition(try! RecoveryCode(reading: code.text()).text() == code.text())
            _ = PairingWords.areSame(text, code.text())
        }
    } catch {
        precondition(!error.message.isEmpty)
    }
    return 0
}
