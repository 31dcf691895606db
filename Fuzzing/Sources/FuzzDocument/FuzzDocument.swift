import StrictJSON

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The package manager has renamed `main` and wants this one.
@_cdecl("FuzzDocument_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var count = count
    var arguments = arguments
    return withUnsafeMutablePointer(to: &arguments) { runDriver(&count, $0, test) }
}

private func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
    var lenient = JSONParseOptions.rfc8259
    lenient.maximumDepth = 1024
    check(bytes, JSONParseOptions())
    check(bytes, lenient)
    return 0
}

/// What is accepted must survive being written, in every style and both ways of writing; what is refused has a place.
private func check(_ bytes: [UInt8], _ options: JSONParseOptions) {
    do throws(JSONError) {
        let document = try JSONDocument(parsing: bytes, options: options)
        let value = document.root.value
        for style in JSONStyle.allCases {
            let text = document.root.encoded(style)
            let again = try JSONDocument(parsing: text, options: options)
            precondition(again.root.encoded(style) == text, "writing what was written changes it")
            if style != .canonical {
                precondition(again.root.value == value, "the value changes by being written")
                if !options.allowsDuplicateNames { precondition(value.encoded(style) == text, "two ways of writing") }
            }
        }
    } catch {
        let position = error.position
        precondition(position.offset <= bytes.count && position.line >= 1 && position.column >= 1, "\(error)")
    }
}
