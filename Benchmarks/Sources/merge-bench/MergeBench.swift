internal import RecordMerge
internal import StrictJSON

/// Measures the merge engine with records in SQLite, one step in a process of its own.
///
/// `merge-bench STEP FOLDER [COUNT]` prints seconds and sizes as JSON; `bench.py merge` calls it.
@main
struct MergeBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { throw DatabaseError(description: "expected a step and a folder") }
        let folder = Folder(path: arguments[2])
        let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
        switch arguments[1] {
        case "base": try folder.makeBase(count)
        case "ours": try folder.edit("ours", side: 0, count)
        case "theirs": try folder.edit("theirs", side: 1, count)
        case "diff": tell(try folder.diff(isFull: false))
        case "diff-all": tell(try folder.diff(isFull: true))
        case "apply": tell(try folder.apply())
        case "checkpoint": tell(try folder.writeCheckpoint())
        case "read": tell(try folder.readCheckpoint())
        case "join": tell(try folder.joinHundred(count))
        default: throw DatabaseError(description: "no step of that name: \(arguments[1])")
        }
    }

    private static func tell(_ values: [String: Double]) {
        let pairs = values.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        print("{\(pairs.joined(separator: ","))}")
    }
}
