import StrictJSON

@testable import XMLIO

/// Writes down what a reader finds; pieces of one text are put together.
final class Recorder: XMLHandler {
    private(set) var events: [String] = []
    private var text: [UInt8] = []
    /// The end of the path of elements at which the handler throws.
    var refuses: String?

    struct Refusal: Error {}

    func start(_ element: borrowing XMLElementStart) throws {
        flush()
        var line = "\(element.position.line):\(element.position.column) <\(element.name)"
        if let namespace = element.namespace { line += " {\(namespace)}" }
        for index in 0..<element.attributeCount {
            guard let attribute = element.attribute(index) else { continue }
            line += " \(attribute.name)=\(String(decoding: attribute.value, as: UTF8.self))"
        }
        events.append(line)
        if refuses == element.name.description { throw Refusal() }
    }

    func end(_ name: XMLName) {
        flush()
        events.append("</\(name)")
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) { text += bytes }

    private func flush() {
        if !text.isEmpty { events.append("'\(String(decoding: text, as: UTF8.self))'") }
        text = []
    }

    /// What is found in a text.
    static func events(
        _ text: String,
        _ options: XMLOptions = XMLOptions(),
        step: Int = .max
    ) throws -> [String] {
        let recorder = Recorder()
        try XMLReader(options, step: step).read(Array(text.utf8), into: recorder)
        return recorder.events
    }

    /// The error of reading bytes, nil where there is none.
    static func failure(_ bytes: [UInt8], _ options: XMLOptions = XMLOptions(), step: Int = .max) -> XMLError? {
        do {
            try XMLReader(options, step: step).read(bytes, into: Recorder())
            return nil
        } catch {
            return error as? XMLError
        }
    }

    static func failure(_ text: String, _ options: XMLOptions = XMLOptions(), step: Int = .max) -> XMLError? {
        failure(Array(text.utf8), options, step: step)
    }
}

extension XMLOptions {
    /// As for a file with a document type declaration that nobody needs.
    static var skipping: XMLOptions {
        var options = XMLOptions()
        options.documentType = .skipped
        return options
    }
}
