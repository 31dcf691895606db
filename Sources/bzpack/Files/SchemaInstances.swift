internal import CommandSupport
internal import StrictJSON

/// The values of a file that is checked: one of JSON, each line of JSON Lines, each document of YAML.
struct SchemaInstances {
    struct Instance {
        let json: [UInt8]
        var options = JSONParseOptions()
        /// The end of a finding's message, which tells which of several values is meant.
        var note = ""
        /// Returns the place in the file of a place in the JSON text.
        var position: (TextPosition) -> TextPosition = { $0 }

        /// Reads the JSON text.
        ///
        /// - Throws: The first error, with its place in the JSON text.
        func document() throws(JSONError) -> JSONDocument { try JSONDocument(parsing: json, options: options) }
    }

    let file: String
    /// The diagnostic of a YAML file that could not be read to its end.
    private(set) var failure: Diagnostic?
    private let bytes: [UInt8]
    private let kind: Kind
    private var documents: [YAMLDocument] = []

    private enum Kind {
        case json, lines, yaml

        init(_ path: String) {
            let name = path.lowercased()
            func ends(_ ends: String...) -> Bool { ends.contains { name.hasSuffix($0) } }
            self = ends(".jsonl", ".ndjson") ? .lines : ends(".yaml", ".yml") ? .yaml : .json
        }
    }

    init(_ input: InputFile) {
        (file, bytes, kind) = (input.name, input.bytes, Kind(input.name))
        guard kind == .yaml else { return }
        let (documents, error) = YAMLText.documents(bytes)
        self.documents = documents
        failure = error?.diagnostic(file: file)
    }

    /// Tells whether a file may hold several values, by its name.
    static func hasSeveral(_ path: String) -> Bool { Kind(path) != .json }

    /// Tells whether a file is YAML, by its name.
    static func isYAML(_ path: String) -> Bool { Kind(path) == .yaml }

    /// Calls `body` with each value; empty lines are passed over.
    func forEach(_ body: (Instance) throws -> Void) rethrows {
        switch kind {
        case .json:
            try body(Instance(json: bytes))
        // In another encoding lines end elsewhere; reading says so.
        case .lines where foreignEncoding(of: Array(bytes.prefix(8))) != nil:
            try body(Instance(json: bytes))
        case .lines:
            var start = 0
            for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                defer { start += line.count + 1 }
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
                let offset = start
                var options = JSONParseOptions()
                options.line = number + 1
                try body(
                    Instance(json: Array(line), options: options) {
                        TextPosition(offset: offset + $0.offset, line: $0.line, column: $0.column)
                    }
                )
            }
        case .yaml:
            let isAlone = documents.count == 1 && failure == nil
            for (index, document) in documents.enumerated() {
                try body(
                    Instance(
                        json: document.json,
                        note: isAlone ? "" : ", in document \(index + 1)",
                        position: document.position(of:)
                    )
                )
            }
        }
    }
}
