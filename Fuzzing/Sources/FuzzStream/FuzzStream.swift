import StrictJSON

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The package manager has renamed `main` and wants this one.
@_cdecl("FuzzStream_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var count = count
    var arguments = arguments
    return withUnsafeMutablePointer(to: &arguments) { runDriver(&count, $0, test) }
}

/// The first byte chooses the pieces, the rest is the text; the outcome must be that of the whole document.
private func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let choice = input.first.map(Int.init) else { return 0 }
    let bytes = Array(input.dropFirst())
    let pieces = [1, 2, 3, 7, 16, 61, 300, Int.max]
    var options = choice & 64 == 0 ? JSONParseOptions() : .rfc8259
    if choice & 128 != 0 { options.maximumDepth = 4 }
    let whole = outcome { _ = try JSONDocument(parsing: bytes, options: options) }
    let inPieces = outcome {
        let source = JSONByteSource(bytes, piece: pieces[choice & 7])
        var reader = try JSONStreamReader(source, options: options, capacity: 16)
        try read(&reader, levels: choice >> 3 & 7)
        try reader.finish()
    }
    precondition(whole == inPieces, "\(whole) in one, \(inPieces) in pieces")
    return 0
}

/// Goes through a value, with its outer containers taken apart.
private func read(_ reader: inout JSONStreamReader, levels: Int) throws {
    let byte = try reader.peek()
    guard levels > 0, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return try reader.readValue() }
    try reader.open()
    while try reader.next() != nil { try read(&reader, levels: levels - 1) }
}

/// The error as a text, with its place and pointer; empty where there is none.
private func outcome(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return ""
}
