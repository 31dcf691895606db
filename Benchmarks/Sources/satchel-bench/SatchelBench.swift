import BenchHarness
import StrictJSON

/// Satchel as a contender: `satchel-bench parse|parse-release|write|write-indented|write-canonical FILE`.
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
            default:
                throw BenchError("no such mode: \(options.mode)")
            }
        }
    }

    private static func write(_ bytes: [UInt8], style: JSONStyle, _ options: Options) throws {
        let document = try JSONDocument(parsing: bytes)
        try measure(options) { document.root.encoded(style) }
    }
}
