internal import StrictJSON

/// Puts the unknown members of the top level of several files together; of each name the first value counts.
struct EnvelopeMerge {
    /// The file that is written.
    let file: String
    private(set) var envelope = JSONObject()
    /// The members of which another value is left out.
    private(set) var conflicts: [Diagnostic] = []
    private var owners: [String: String] = [:]

    init(file: String) { self.file = file }

    /// Adds what was kept with a record.
    mutating func add(_ members: JSONObject, of owner: String) {
        for member in members {
            guard let value = envelope[member.name] else {
                envelope[member.name] = member.value
                owners[member.name] = owner
                continue
            }
            guard value != member.value else { continue }
            let written = owners[member.name] ?? ""
            conflicts.append(
                Diagnostic(
                    .note,
                    code: "envelope.conflict",
                    message:
                        "\"\(member.name)\" differs: that of the \(written) is written, that of the \(owner) is not",
                    file: file == "-" ? nil : file,
                    pointer: JSONPointer(tokens: [member.name])
                )
            )
        }
    }
}
