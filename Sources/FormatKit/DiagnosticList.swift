package import JSONSchemaValidation
package import StrictJSON

/// The diagnostics of a file that is read: it keeps the first ones, and counts all.
package struct DiagnosticList {
    /// The most findings that a reading keeps.
    package static let limit = 100

    /// The file as the person named it.
    package let file: String?
    /// The file's text, where it is JSON.
    package private(set) var document: JSONDocument?
    /// True if an error is among the diagnostics.
    package private(set) var hasErrors = false
    private var findings: [Diagnostic] = []
    /// Findings that were counted and not kept.
    private var dropped = 0

    package init(file: String?) { self.file = file }

    /// The number of all findings.
    package var count: Int { findings.count + dropped }

    /// The findings in the order of the file; of those at one place, in the order in which they came.
    package var sorted: [Diagnostic] {
        let sorted = findings.enumerated().sorted { left, right in
            let places = (left.element.position?.offset ?? -1, right.element.position?.offset ?? -1)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        return sorted.prefix(Self.limit).map(\.element)
    }

    /// Parses the file, or finds why it is no JSON.
    package mutating func parse(_ bytes: [UInt8]) -> JSONDocument? {
        if let message = BinaryFile.message(for: bytes) {
            add(AppFormatError(.notJSON, message))
            return nil
        }
        do throws(JSONError) {
            let document = try JSONDocument(parsing: bytes)
            if document.hasByteOrderMark {
                let message = "the file begins with a byte order mark, which JSON does not need"
                findings.append(Diagnostic(.note, code: "json.byte-order-mark", message: message, file: file))
            }
            self.document = document
            return document
        } catch {
            hasErrors = true
            findings.append(error.diagnostic(file: file))
            return nil
        }
    }

    /// Adds why something of the file cannot be used.
    package mutating func add(_ error: AppFormatError) {
        hasErrors = true
        findings.append(error.diagnostic(file: file, position: position(of: error.pointer)))
    }

    /// Adds findings; one that has no place in the text yet gets that of its pointer.
    ///
    /// - Parameters:
    ///   - found: The findings, or the first of them.
    ///   - count: How many there were, with those that are not given.
    ///   - hasErrors: Whether an error was among all of them.
    package mutating func add(_ found: [Diagnostic], of count: Int, hasErrors: Bool) {
        // Finding a place takes time, so that only the first ones are kept.
        let kept = found.prefix(Self.limit)
        for finding in kept {
            var finding = finding
            finding.file = file
            finding.position = finding.position ?? position(of: finding.pointer)
            findings.append(finding)
        }
        dropped += count - kept.count
        self.hasErrors = self.hasErrors || hasErrors
    }

    /// Adds what a schema says.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - expected: What a regular expression is for, in words; nil where the pattern itself says it.
    ///   - origin: Where the file has what the document has that was held against the schema; nil where that is the file.
    package mutating func add(
        _ report: ValidationReport,
        expected: (ValidationFinding) -> String? = { _ in nil },
        origin: ((JSONPointer) -> JSONPointer)? = nil
    ) {
        // Report nothing else about a value that must not be there.
        let unwanted = Set(report.findings.filter(\.isUnwanted).map(\.pointer))
        let told = report.findings.filter { $0.isUnwanted || !unwanted.contains($0.pointer) }
        for finding in told {
            var diagnostic = finding.diagnostic(file: file)
            if finding.keyword == "pattern", let expected = expected(finding) {
                diagnostic.message = "found \(finding.found), expected \(expected)"
            }
            if let origin {
                diagnostic.pointer = diagnostic.pointer.map(origin)
                diagnostic.position = position(of: diagnostic.pointer)
            }
            findings.append(diagnostic)
        }
        dropped += report.total - report.findings.count
        hasErrors = hasErrors || !report.isValid
    }

    private func position(of pointer: JSONPointer?) -> TextPosition? {
        pointer.flatMap { document?.position(nearest: $0) }
    }
}

extension ValidationFinding {
    /// True if the schema allows no value at the place.
    fileprivate var isUnwanted: Bool { keyword == "false" }
}

extension JSONDocument {
    /// Returns the position of the value at a pointer, or of the nearest value around it.
    package func position(nearest pointer: JSONPointer) -> TextPosition? {
        var pointer = pointer
        while true {
            if let node = root[pointer] { return node.position }
            guard !pointer.tokens.isEmpty else { return nil }
            pointer = JSONPointer(tokens: pointer.tokens.dropLast())
        }
    }

    /// Returns the document of a value that the program made, such as a migrated one.
    ///
    /// The depth limit is one of the input; an envelope and what is parked may add levels to it.
    package static func rebuilt(_ value: JSONValue) throws(AppFormatError) -> JSONDocument {
        do throws(JSONError) {
            var options = JSONParseOptions()
            options.maximumDepth = .max
            return try JSONDocument(parsing: value.encoded(.compact), options: options)
        } catch {
            throw AppFormatError(.schema, "the migrated document cannot be read: \(error.message)", at: error.pointer)
        }
    }
}
