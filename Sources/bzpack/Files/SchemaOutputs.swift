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

    static func hasLines(_ file: String) -> Bool { file.hasSuffix(".jsonl") || file.hasSuffix(".ndjson") }

    /// Prints the result for each value as a line; what is no JSON is an error of the value as a whole.
    func printOutputs(_ format: SchemaOutputFormat, _ schema: JSONSchema) throws {
        guard output.format == .text, !strict else {
            throw CommandFailure(.usage, "found --output-format with --format json or --strict, expected one of them")
        }
        var status = ExitStatus.success
        for file in files {
            try LoadedSchema.refuseYAML(file)
            let input = try InputFile(reading: file)
            let newline = UInt8(ascii: "\n")
            let hasLines = Self.hasLines(file)
            let texts =
                hasLines
                ? input.bytes.split(separator: newline, omittingEmptySubsequences: false) : [input.bytes[...]]
            for (number, text) in texts.enumerated() where !hasLines || !Self.isBlank(text) {
                let name = hasLines ? "\(input.name), line \(number + 1)" : input.name
                let line = self.output(Array(text), name, format, schema)
                if line["valid"]?.bool != true { status = .badData }
                try StandardOutput.shared.write(line.text(.compact) + "\n")
            }
        }
        if status != .success { throw status.exitCode }
    }

    private func output(
        _ text: [UInt8],
        _ name: String,
        _ format: SchemaOutputFormat,
        _ schema: JSONSchema
    ) -> JSONValue {
        let message: String
        do {
            return try schema.output(JSONDocument(parsing: text), format: format)
        } catch let error as JSONError {
            message = error.diagnostic(file: name).description
        } catch {
            message = "\(error)"
        }
        return ["valid": false, "keywordLocation": "", "instanceLocation": "", "error": .string(message)]
    }

    static func isBlank(_ line: some Sequence<UInt8>) -> Bool {
        line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    }
}
