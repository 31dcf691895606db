import BenchHarness
import JSONSchemaValidation
import StrictJSON

/// A contender of the public benchmark for JSON Schema: `schema-bench SCHEMA INSTANCES`, where each line is an instance.
///
/// Prints nanoseconds: the first validation of all instances, one when warm, compiling, parsing, and parsing together with
/// validating. Ends with 1 where an instance is not valid.
@main
struct SchemaBench {
    private static let rounds = 20

    static func main() {
        runContender {
            let arguments = CommandLine.arguments.dropFirst()
            guard arguments.count == 2, let schemaPath = arguments.first, let path = arguments.last else {
                throw BenchError("usage: schema-bench SCHEMA INSTANCES")
            }
            let text = try readFile(schemaPath)
            let lines = try readFile(path).split(separator: UInt8(ascii: "\n")).map { Array($0) }
            let (compile, schema) = try timed { try JSONSchema(JSONDocument(parsing: text)) }
            let instances = try documents(lines)
            let (cold, isValid) = try timed { check(schema, instances) }
            let warm = try median { check(schema, instances) }
            let parse = try median { try documents(lines) }
            let both = try median { try lines.allSatisfy { schema.isValid(try JSONDocument(parsing: $0)) } }
            print("\(cold),\(warm),\(compile),\(parse),\(both)")
            if !isValid { throw BenchError("an instance is not valid") }
        }
    }

    private static func documents(_ lines: [[UInt8]]) throws -> [JSONDocument] {
        try lines.map { try JSONDocument(parsing: $0) }
    }

    private static func check(_ schema: JSONSchema, _ instances: [JSONDocument]) -> Bool {
        var isValid = true
        for instance in instances where !schema.isValid(instance) { isValid = false }
        return isValid
    }

    private static func timed<T>(_ body: () throws -> T) throws -> (nanoseconds: Int, result: T) {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try body()
        let elapsed = clock.now - start
        return (Int(elapsed / .nanoseconds(1)), result)
    }

    private static func median<T>(_ body: () throws -> T) throws -> Int {
        var times: [Int] = []
        for _ in 0..<rounds { times.append(try timed(body).nanoseconds) }
        return times.sorted()[rounds / 2]
    }
}
