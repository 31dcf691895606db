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
        var status = ExitStatus.success
        for file in files {
            let instances = SchemaInstances(try InputFile(reading: file, limit: 1 << 32))
            func print(_ line: JSONValue) throws {
                if line["valid"]?.bool != true { status = .badData }
                try StandardOutput.shared.write(line.text(.compact) + "\n")
            }
            try instances.forEach { try print(output($0, of: instances.file, schema, format)) }
            if let failure = instances.failure { try print(failed(failure.description)) }
        }
        if status != .success { throw status.exitCode }
    }

    private func output(
        _ instance: SchemaInstances.Instance,
        of file: String,
        _ schema: JSONSchema,
        _ format: SchemaOutputFormat
    ) -> JSONValue {
        do {
            return try schema.output(instance.document(), format: format)
        } catch let error as JSONError {
            var diagnostic = error.diagnostic(file: file)
            diagnostic.position = instance.position(error.position)
            diagnostic.message += instance.note
            return failed(diagnostic.description)
        } catch {
            return failed("\(error)")
        }
    }

    private func failed(_ message: String) -> JSONValue {
        ["valid": false, "keywordLocation": "", "instanceLocation": "", "error": .string(message)]
    }
}
