import BenchHarness
import JSONSchemaValidation
import StrictJSON

/// Satchel as a contender: `satchel-bench parse|parse-release|write|write-indented|write-canonical FILE`, and
/// `satchel-bench validate FILE --schema SCHEMA`.
@main
enum SatchelBench {
    static func main() {
        runContender {
            let options = try Options()
            let bytes = try readFile(options.file)
            switch options.mode {
            case "parse":
                try measure(options) { try JSONDocument(parsing: bytes) }
            case "parse-release":
                try measure(options) { _ = try JSONDocument(parsing: bytes) }
            case "write":
                try write(bytes, style: .compact, options)
            case "write-indented":
                try write(bytes, style: .indented, options)
            case "write-canonical":
                try write(bytes, style: .canonical, options)
            case "validate":
                try validate(bytes, options)
            default:
                throw BenchError("no such mode: \(options.mode)")
            }
        }
    }

    private static func validate(_ bytes: [UInt8], _ options: Options) throws {
        guard let path = options.schema else { throw BenchError("validate wants --schema FILE") }
        let schema = try JSONSchema(JSONDocument(parsing: readFile(path)))
        let document = try JSONDocument(parsing: bytes)
        guard schema.isValid(document) else { throw BenchError("\(options.file) is not valid against \(path)") }
        try measure(options) { schema.isValid(document) }
    }

    private static func write(_ bytes: [UInt8], style: JSONStyle, _ options: Options) throws {
        let document = try JSONDocument(parsing: bytes)
        try measure(options) { document.root.encoded(style) }
    }
}
