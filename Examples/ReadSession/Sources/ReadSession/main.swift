import BZTimer
import FormatKit
import Foundation
import StrictJSON

// usage: ReadSession FILE
guard let path = CommandLine.arguments.dropFirst().first else {
    print("usage: ReadSession FILE")
    exit(64)
}

// Any version is read: its own schema first, then step by step to the current version.
let result = BztimerFormat.read([UInt8](try Data(contentsOf: URL(filePath: path))), name: path)
for diagnostic in result.diagnostics { print(diagnostic) }
guard let file = result.content else { exit(65) }
for session in file.sessions {
    print("\(session.name): \(session.items.count) blocks")
    for block in session.items { print("  \(block.label)") }
}
