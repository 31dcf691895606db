import StrictJSON
import XMLIO

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The package manager has renamed `main` and wants this one.
@_cdecl("FuzzXML_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var count = count
    var arguments = arguments
    return withUnsafeMutablePointer(to: &arguments) { runDriver(&count, $0, test) }
}

/// The first byte chooses the pieces and the options, the rest is the text.
private func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let choice = input.first.map(Int.init) else { return 0 }
    let bytes = Array(input.dropFirst())
    let steps = [16, 17, 19, 23, 31, 61, 120, 300]
    var options = XMLOptions()
    if choice & 8 != 0 { options.documentType = .skipped }
    options.replacesControlCharacters = choice & 16 != 0
    if choice & 32 != 0 {
        (options.depth, options.nameBytes, options.attributeCount, options.tagBytes, options.textBytes) = (4, 12, 3, 40, 30)
    }
    let whole = outcome(bytes, options, step: .max)
    let inPieces = outcome(bytes, options, step: steps[choice & 7])
    if whole != inPieces { fatalError("\(String(describing: whole)) in one, \(String(describing: inPieces)) in pieces") }
    if case .some(let root) = try? XMLElement.parse(bytes, options) { checkRoundTrip(root) }
    return 0
}

/// The events as texts, pieces of one text put together; nil where there is an error.
///
/// Of two faults close to each other the library may find the other one first where the pieces are others.
private func outcome(_ bytes: [UInt8], _ options: XMLOptions, step: Int) -> [String]? {
    let recorder = Recorder()
    do {
        let reader = try XMLReader(options, step: step)
        try reader.read(bytes, into: recorder)
        return recorder.events
    } catch {
        return nil
    }
}

private final class Recorder: XMLHandler {
    private(set) var events: [String] = []
    private var text: [UInt8] = []

    func start(_ element: borrowing XMLElementStart) {
        flush()
        var event = "\(element.position) \(element.name) \(element.namespace?.description ?? "")"
        for index in 0..<element.attributeCount {
            guard let attribute = element.attribute(index) else { continue }
            event += " \(attribute.name)=\(String(decoding: attribute.value, as: UTF8.self))"
        }
        events.append(event)
    }

    func end(_ name: XMLName) {
        flush()
        events.append("/\(name)")
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) { text += bytes }

    private func flush() {
        if !text.isEmpty { events.append(String(decoding: text, as: UTF8.self)) }
        text = []
    }
}

/// What was read can be written, unless it is a name that the writer does not take, and is the same when it is read again.
private func checkRoundTrip(_ root: XMLElement) {
    var output: [UInt8] = []
    var writer = XMLWriter { output += $0 }
    guard (try? write(root, to: &writer)) != nil, (try? writer.finish()) != nil else { return }
    let again = try? XMLElement.parse(output)
    if again.map(flat) != flat(root) { fatalError("writing changes it: \(String(decoding: output, as: UTF8.self))") }
}

private func write(_ element: XMLElement, to writer: inout XMLWriter) throws {
    try writer.start(element.name, element.attributes)
    // Before the children, so that no white space comes between.
    try writer.text(element.text.isEmpty && !element.children.isEmpty ? "x" : element.text)
    for child in element.children { try write(child, to: &writer) }
    try writer.end()
}

private func flat(_ element: XMLElement) -> [String] {
    let text = element.text == "x" && !element.children.isEmpty ? "" : element.text
    return [element.name, text] + element.attributes.flatMap { [$0.name, $0.value] } + element.children.flatMap(flat) + ["/"]
}
