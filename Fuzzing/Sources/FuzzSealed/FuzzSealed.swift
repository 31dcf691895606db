import AgeFile
import FolderEncryption

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The package manager has renamed `main` and wants this one.
@_cdecl("FuzzSealed_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var count = count
    var arguments = arguments
    return withUnsafeMutablePointer(to: &arguments) { runDriver(&count, $0, test) }
}

private let key = EpochKey((0..<32).map { UInt8($0) })!
private let space = "0123456789abcdef"

/// The first byte chooses what is done with the rest.
private func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    if choice & 1 == 0 { read(bytes) } else { edit(bytes) }
    return 0
}

/// Bytes that nobody sealed are refused by name.
private func read(_ bytes: [UInt8]) {
    _ = try? SealedHeader(reading: bytes)
    do {
        let (identity, content) = try FileOpener.open(bytes) { _ in key }
        precondition(identity.length == content.count && bytes.count == SealedLayout.size(content.count))
    } catch {
        precondition(error is EncryptionError, "another error: \(error)")
    }
}

/// A sealed file gives its content from any place on; one that is edited is refused, at the latest by ``check()``.
///
/// The input: two bytes of the content's length, one of the path's, and edits of four bytes: place, kind and value.
private func edit(_ input: [UInt8]) {
    guard input.count > 3 else { return }
    let length = (Int(input[0]) << 8 | Int(input[1])) * 3
    let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = "w/" + String(repeating: "a", count: Int(input[2])) + ".seg"
    let salt = [UInt8](repeating: input[3], count: 32)
    let sound = try! FileSealer.seal(content, path: path, space: space, key, salt: salt)
    precondition(sound.count == SealedLayout.size(length))
    var bytes = sound
    for start in stride(from: 4, to: input.count - 3, by: 4) where !bytes.isEmpty {
        let place = (Int(input[start]) << 8 | Int(input[start + 1])) * bytes.count >> 16
        switch input[start + 2] & 3 {
        case 0: bytes[place] ^= input[start + 3]
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int(input[start + 3])))
        case 2: bytes.insert(input[start + 3], at: place)
        default: bytes.swapAt(place, bytes.count - 1 - place)
        }
    }
    do {
        let opener = try FileOpener(size: bytes.count, key: { $0 == key.id ? key : nil }) { offset, buffer in
            let count = max(0, min(buffer.count, bytes.count - offset))
            if count > 0 { buffer.copyBytes(from: bytes[offset..<offset + count]) }
            return count
        }
        precondition(opener.identity.path == path && opener.identity.space == space)
        precondition(opener.identity.length == length)
        // From a place on: what is given is the content, even of a file that is damaged elsewhere.
        let place = length > 0 ? Int(input[3]) * length / 256 : 0
        var part = [UInt8](repeating: 0, count: 5000)
        if let given = try? part.withUnsafeMutableBytes({ try opener.read(at: place, into: $0) }) {
            precondition(Array(part[..<given]) == Array(content[place..<min(length, place + 5000)]))
        }
        try opener.check()
        precondition(bytes == sound, "an edited file is accepted")
        precondition(try! opener.content() == content)
    } catch let error as EncryptionError {
        precondition(bytes != sound, "a sound file is refused: \(error)")
    } catch {
        preconditionFailure("another error: \(error)")
    }
}
