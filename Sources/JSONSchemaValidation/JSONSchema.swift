public import StrictJSON

/// A JSON Schema, compiled once to validate many documents.
///
/// `$schema` tells its draft: 4, 6, 7, 2019-09 or 2020-12. Without it the registry's ``SchemaRegistry/defaultDraft`` counts.
///
/// Validation goes over a document's tape and builds no values; a valid document costs no allocation per value. It may
/// be used from several threads at once.
///
/// ```swift
/// let schema = try JSONSchema(JSONDocument(parsing: schemaBytes))
/// let report = schema.validate(try JSONDocument(parsing: bytes))
/// for finding in report.findings { print(finding.diagnostic(file: "session.bztimer")) }
/// ```
public final class JSONSchema: Sendable {
    let program: SchemaProgram

    /// Compiles a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema document.
    ///   - uri: Where it was found; relative references are resolved against it, or against its `$id`.
    ///   - registry: The other schemas that references lead to; nothing is fetched.
    ///   - assertFormats: Whether `format` is checked, rather than just noted as the draft has it by default.
    /// - Throws: The first fault of the schema, with its place.
    public init(
        _ schema: JSONDocument,
        uri: String? = nil,
        registry: SchemaRegistry = SchemaRegistry(),
        assertFormats: Bool = true
    ) throws(SchemaError) {
        program = try SchemaCompiler.compile(schema, uri: uri, registry: registry, assertsFormats: assertFormats)
        try checkAgainstMetaschema(schema)
    }

    /// Compiles a schema of the program itself, which a test has checked against its metaschema: every start would again.
    package init(own schema: JSONDocument) throws(SchemaError) {
        program = try SchemaCompiler.compile(schema, uri: nil, registry: SchemaRegistry(), assertsFormats: true)
    }

    init(program: SchemaProgram) { self.program = program }

    /// Tells whether a document is valid under one of the program's schemas.
    func isValid(_ document: JSONDocument, of schema: Int32) -> Bool {
        withEvaluator(document, isStrict: false, limit: 0) { $0.run(schema, reporting: false) }
    }

    /// Returns the metaschema of a draft; it is ours, and a test compiles it.
    static func metaschema(_ draft: JSONSchemaDraft) -> JSONSchema? {
        switch draft {
        case .draft4: metaschema4
        case .draft6: metaschema6
        case .draft7: metaschema7
        case .draft2019: metaschema2019
        case .draft2020: metaschema2020
        }
    }

    // Each is compiled when it is first asked for, and once.
    private static let metaschema4 = compiledMetaschema(.draft4)
    private static let metaschema6 = compiledMetaschema(.draft6)
    private static let metaschema7 = compiledMetaschema(.draft7)
    private static let metaschema2019 = compiledMetaschema(.draft2019)
    private static let metaschema2020 = compiledMetaschema(.draft2020)

    private static func compiledMetaschema(_ draft: JSONSchemaDraft) -> JSONSchema? {
        guard let text = Metaschemas.texts(of: draft).first, let document = try? JSONDocument(parsing: text) else {
            return nil
        }
        let program = try? SchemaCompiler.compile(
            document,
            uri: nil,
            registry: SchemaRegistry(),
            assertsFormats: false
        )
        return program.map { JSONSchema(program: $0) }
    }

    /// Refuses keywords of a wrong kind that compiling has not come to, such as those in definitions that nothing uses.
    private func checkAgainstMetaschema(_ schema: JSONDocument) throws(SchemaError) {
        let registry = program.registry
        let document = program.places[0].document
        let parts =
            registry.standardDraft(of: document).map { SchemaParts(whole: schema, $0) }
            ?? SchemaParts(schema, defaultDraft: registry.defaultDraft)
        guard let fault = parts.faults(file: nil, limit: 1).first else { return }
        throw SchemaError(
            code: .keyword,
            message: fault.message,
            schema: registry.documents[document].uri,
            pointer: fault.pointer ?? .root,
            position: fault.position
        )
    }

    /// Tells whether a document is valid, without saying why: the fastest check.
    public func isValid(_ document: JSONDocument) -> Bool {
        isValid(document, of: program.root)
    }

    /// Validates a document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - strict: Whether to report members that the schema does not know as well, as warnings.
    ///   - limit: How many findings to keep, errors before warnings; all are counted.
    public func validate(_ document: JSONDocument, strict: Bool = false, limit: Int = 100) -> ValidationReport {
        if !strict, isValid(document) { return ValidationReport() }
        return withEvaluator(document, isStrict: strict, limit: limit) { evaluator in
            var report = ValidationReport()
            report.isValid = evaluator.run(program.root, reporting: true)
            report.total = evaluator.findings.count
            let text = evaluator.findingText
            report.findings = evaluator.findings.finish().map { text.finding($0) }
            let positions = document.positions(ofOffsets: report.findings.map(\.position.offset))
            for (index, position) in positions.enumerated() { report.findings[index].position = position }
            return report
        }
    }

    func withEvaluator<T, Failure>(
        _ document: JSONDocument,
        isStrict: Bool,
        limit: Int,
        _ body: (inout Evaluator) throws(Failure) -> T
    ) throws(Failure) -> T {
        try document.bytes.withUnsafeBufferPointer { text throws(Failure) in
            // A document is never empty; the address is only asked for because arrays may be.
            let base =
                text.baseAddress
                ?? UnsafePointer(document.tape.words.withMemoryRebound(to: UInt8.self, capacity: 8) { $0 })
            var evaluator = Evaluator(
                program: program,
                isStrict: isStrict,
                limit: limit,
                words: document.tape.words,
                text: base,
                names: document.names
            )
            evaluator.allowsDuplicateNames = document.allowsDuplicateNames
            evaluator.learnNames(of: document.names)
            return try body(&evaluator)
        }
    }
}
