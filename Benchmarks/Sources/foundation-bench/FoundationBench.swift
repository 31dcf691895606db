import BenchHarness
import Foundation

/// Foundation as a contender: `foundation-bench parse FILE`.
@main
enum FoundationBench {
    static func main() {
        runContender {
            let options = try Options()
            guard options.mode == "parse" else { throw BenchError("no such mode: \(options.mode)") }
            let data = try Data(contentsOf: URL(fileURLWithPath: options.file))
            try measure(options) { try JSONSerialization.jsonObject(with: data) }
        }
    }
}
