public import StrictJSON

/// One of the output formats that JSON Schema 2019-09 and 2020-12 define.
public enum SchemaOutputFormat: String, Sendable, Hashable, CaseIterable {
    /// The verdict only.
    case flag
    /// A list of all errors, or of all annotations.
    case basic
    /// A tree of what is wrong, or of the annotations; without nodes that only have one below them.
    case detailed
    /// A tree of every keyword that was evaluated.
    case verbose
}

/// An error for a report that has no output in a standard format.
public struct OutputError: Error, Sendable, CustomStringConvertible {
    /// The message: what happened and what to do.
    public let description: String
}

/// The result of one keyword, or one schema, for one value.
public struct OutputUnit: Sendable {
    /// True if the value meets it.
    public internal(set) var isValid: Bool
    /// The way to the keyword from the schema's root through references, as a JSON Pointer.
    public let keywordLocation: String
    /// The keyword's URI.
    public internal(set) var absoluteKeywordLocation: String
    /// The value, as a JSON Pointer.
    public let instanceLocation: String
    /// The fault of the value; nil where the units below say it.
    public internal(set) var error: String?
    /// The keyword's annotation of the value; it counts only where all units around this one are valid.
    public internal(set) var annotation: JSONValue?
    /// The units of the keywords or schemas below.
    public internal(set) var children: [OutputUnit] = []
    /// True for a keyword, false for a schema.
    var isKeyword = true
}

extension JSONSchema {
    /// The bytes that an output may take by default.
    public static let largestOutput = 1 << 26

    /// Validates a document and gives the result in a standard format.
    ///
    /// ```swift
    /// let output = try schema.output(document, format: .basic)
    /// print(output.text(.indented))
    /// ```
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - format: The format; `flag` is the fastest.
    ///   - limit: How many bytes the output may take, roughly; a schema can ask for any number.
    /// - Throws: `OutputError` where the output would be larger than that, or nested too deeply.
    public func output(
        _ document: JSONDocument,
        format: SchemaOutputFormat,
        limit: Int = JSONSchema.largestOutput
    ) throws(OutputError) -> JSONValue {
        if format == .flag { return ["valid": .bool(isValid(document))] }
        let root = try evaluation(document, limit: limit)
        switch format {
        case .flag, .verbose: return .object(root.json(children: root.children.map { $0.verbose(root.isValid) }))
        case .basic:
            var units: [JSONValue] = []
            root.flatten(into: &units, errors: !root.isValid)
            return .object(root.json(children: units))
        case .detailed:
            return .object(root.json(children: root.children.compactMap { $0.condensed(root.isValid) }))
        }
    }

    /// Validates a document and gives what each keyword says, as a tree.
    ///
    /// - Throws: `OutputError` where the tree would take more bytes than the limit, or be nested too deeply.
    public func evaluation(
        _ document: JSONDocument,
        limit: Int = JSONSchema.largestOutput
    ) throws(OutputError) -> OutputUnit {
        try withEvaluator(document, isStrict: false, limit: 100) { evaluator throws(OutputError) in
            var walker = OutputWalker(program, document, limit: limit)
            return try walker.run(&evaluator)
        }
    }
}

extension OutputUnit {
    /// The annotations of this unit and those below, none of a schema that is not met.
    public var annotations: [OutputUnit] {
        guard isValid else { return [] }
        return (annotation == nil ? [] : [self]) + children.flatMap(\.annotations)
    }

    /// Returns the unit in JSON.
    fileprivate func json(children: [JSONValue] = [], withAnnotation: Bool = true) -> JSONObject {
        var json = JSONObject()
        json["valid"] = .bool(isValid)
        json["keywordLocation"] = .string(keywordLocation)
        json["absoluteKeywordLocation"] = .string(absoluteKeywordLocation)
        json["instanceLocation"] = .string(instanceLocation)
        if let error { json["error"] = .string(error) }
        if isValid, withAnnotation, let annotation { json["annotation"] = annotation }
        if !children.isEmpty || !isValid && error == nil { json[isValid ? "annotations" : "errors"] = .array(children) }
        return json
    }

    fileprivate func verbose(_ counts: Bool) -> JSONValue {
        let counts = counts && isValid
        return .object(json(children: children.map { $0.verbose(counts) }, withAnnotation: counts))
    }

    /// Lists the errors, or the keywords that are met.
    fileprivate func flatten(into units: inout [JSONValue], errors: Bool) {
        for child in children where child.isValid != errors {
            if errors ? child.error != nil : child.isKeyword { units.append(.object(child.json())) }
            child.flatten(into: &units, errors: errors)
        }
    }

    /// Returns the unit without those that say nothing; nil where nothing is left.
    fileprivate func condensed(_ isOfValid: Bool) -> JSONValue? {
        guard isValid == isOfValid else { return nil }
        let below = children.compactMap { $0.condensed(isOfValid) }
        guard error == nil, annotation == nil || !isValid else { return .object(json(children: below)) }
        return below.count < 2 ? below.first : .object(json(children: below))
    }
}
