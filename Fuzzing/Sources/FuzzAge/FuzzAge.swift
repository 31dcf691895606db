import AgeFile

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The package manager has renamed `main` and wants this one.
@_cdecl("FuzzAge_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var count = count
    var arguments = arguments
    return withUnsafeMutablePointer(to: &arguments) { runDriver(&count, $0, test) }
}

/// The example identity of the format's specification.
private let identity = try! AgeIdentity("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
private let passphrase = try! AgePassphrase("test")

/// The first byte chooses what is done with the rest.
private func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let choice = input.first.map(Int.init) else { return 0 }
    let bytes = Array(input.dropFirst())
    let piece = [1, 2, 3, 17, 48, 64, 1000, Int.max][choice & 7]
    if choice & 64 != 0 {
        edit(bytes)
    } else {
        read(bytes, piece)
    }
    return 0
}

/// A file has the same outcome read at once, in pieces, and in armor.
private func read(_ bytes: [UInt8], _ piece: Int) {
    let whole = outcome(bytes, Int.max)
    let inPieces = outcome(bytes, piece)
    precondition(whole == inPieces, "\(whole) in one, \(inPieces) in pieces")
    guard let first = bytes.first, bytes.count < 4000, !" \t\r\n-".utf8.contains(first) else { return }
    let inArmor = outcome(armored(bytes), piece)
    precondition(whole == inArmor, "\(whole) as it is, \(inArmor) in armor")
}

private struct Outcome: Equatable {
    var content: [UInt8] = []
    var code = ""
}

private func outcome(_ bytes: [UInt8], _ piece: Int) -> Outcome {
    var result = Outcome()
    var offset = 0
    do {
        // Small factors only: what they cost is not what is looked for.
        let reader = try AgeReader(maximumWorkFactor: 4) { buffer in
            let count = min(buffer.count, piece, bytes.count - offset)
            buffer.copyBytes(from: bytes[offset..<offset + count])
            offset += count
            return count
        }
        switch reader.access {
        case .passphrase: try reader.unlock(with: passphrase)
        case .recipients: try reader.unlock(with: [identity])
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 777, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try reader.read(into: buffer), count > 0 { result.content += buffer[..<count] }
    } catch let error as AgeError {
        result.code = error.code.description
    } catch {
        preconditionFailure("another error: \(error)")
    }
    return result
}

private func armored(_ bytes: [UInt8]) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let three = Array(bytes[start..<min(start + 3, bytes.count)])
        let bits = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
        for place in 0..<4 {
            text.append(place <= three.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
        }
    }
    var lines = Array("-----BEGIN AGE ENCRYPTED FILE-----\n".utf8)
    for start in stride(from: 0, to: text.count, by: 64) {
        lines += text[start..<min(start + 64, text.count)] + [UInt8(ascii: "\n")]
    }
    return lines + Array("-----END AGE ENCRYPTED FILE-----\n".utf8)
}

/// A file that is edited is refused, and what is given before that is the beginning of the content.
///
/// The input: how many times 1,024 bytes of content there are, and edits of three bytes: place, kind and value.
private func edit(_ input: [UInt8]) {
    guard let size = input.first else { return }
    let content = (0..<Int(size) * 1024).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let sound = try! AgeWriter.encrypt(content, .recipients([identity.recipient]))
    var bytes = sound
    for start in stride(from: 1, to: input.count - 3, by: 4) where !bytes.isEmpty {
        let place = (Int(input[start]) << 8 | Int(input[start + 1])) * bytes.count >> 16
        switch input[start + 2] & 3 {
        case 0: bytes[place] ^= input[start + 3]
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int(input[start + 3])))
        case 2: bytes.insert(input[start + 3], at: place)
        default: bytes.swapAt(place, bytes.count - 1 - place)
        }
    }
    let found = outcome(bytes, Int.max)
    if bytes == sound {
        precondition(found == Outcome(content: content), "a sound file is refused: \(found.code)")
    } else {
        precondition(!found.code.isEmpty, "an edited file is accepted")
        precondition(content.starts(with: found.content), "something else than the content is given out")
    }
}
