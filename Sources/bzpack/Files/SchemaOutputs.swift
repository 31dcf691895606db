internal import ArgumentParser
internal import CommandSupport
internal import JSONSchemaValidation
internal import StrictJSON

/// The standard output formats.
extension Bzpack.SchemaGroup.Check {
    static func outputFormat(_ name: String) throws -> SchemaOutputFormat {
        guard let format = SchemaOutputFormat(rawValue: name) else {
            throw ValidationError("expected flag, basic, detailed or verbose")
        }
        return format
    }

    /// Prints the result for each value as a line; what is no JSON is an error of the value as a whole.
    func printOutputs(_ format: SchemaOutputFormat, _ schema: JSONSchema) throws {
        guard output.format == .text, !strict else {
            throw CommandFailure(.usage, "found --output-format with --format json or --strict, expected one of them")
        }
        var reports: [FileReport] = []
        for file in files {
            let instances: SchemaInstances
            do throws(CommandFailure) {
                instances = SchemaInstances(try InputFile(reading: file, limit: 1 << 32))
            } catch {
                // There is no value to print a verdict on.
                let report = FileReport(file: file, failure: error)
                StandardError.write(report.text)
                reports.append(report)
                continue
            }
            var report = FileReport(file: instances.file, diagnostics: [], total: 0)
            var isEmpty = true
            func print(_ line: JSONValue) throws {
                isEmpty = false
                if line["valid"]?.bool != true { report.status = .badData }
                try StandardOutput.shared.write(line.text(.compact) + "\n")
            }
            try instances.forEach { try print(output($0, of: instances.file, schema, format)) }
            if let failure = instances.failure { try print(failed(failure.description)) }
            if isEmpty { note(Self.emptyFile(instances.file)) }
            reports.append(report)
        }
        if reports.worst != .success { throw reports.worst.exitCode }
    }

    private func note(_ diagnostic: Diagnostic) { StandardError.write(DiagnosticRenderer().render([diagnostic])) }

    private func output(
        _ instance: SchemaInstances.Instance,
        of file: String,
        _ schema: JSONSchema,
        _ format: SchemaOutputFormat
    ) -> JSONValue {
        let document: JSONDocument
        do throws(JSONError) {
            document = try instance.document()
        } catch {
            var diagnostic = error.diagnostic(file: file)
            diagnostic.position = instance.position(error.position)
            diagnostic.message += instance.note
            return failed(diagnostic.description)
        }
        do throws(OutputError) {
            return try schema.output(document, format: format)
        } catch {
            // The verdict has no limits.
            guard schema.isValid(document) else { return failed(error.description) }
            let place = document.positions(ofOffsets: [0]).first.map(instance.position)
            let message = "only the verdict is printed: \(error)\(instance.note)"
            note(Diagnostic(.note, code: "schema.output", message: message, file: file, position: place))
            return ["valid": true, "keywordLocation": "", "instanceLocation": ""]
        }
    }

    private func failed(_ message: String) -> JSONValue {
        ["valid": false, "keywordLocation": "", "instanceLocation": "", "error": .string(message)]
    }
}
