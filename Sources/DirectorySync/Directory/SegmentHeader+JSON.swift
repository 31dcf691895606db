internal import RecordStore
internal import RecordMerge
internal import StrictJSON

/// The two kinds of headers.
enum HeaderKind: String {
    case segment = "satchel-segment"
    case checkpoint = "satchel-checkpoint"
}

extension SegmentHeader {
    /// Returns the header as a line, without its line feed: the same header gives the same bytes.
    func encoded() -> [UInt8] { JSONValue.object(object(.segment)).encoded(.compact) }

    /// Returns the header's members, in their order.
    func object(_ kind: HeaderKind) -> JSONObject {
        var object = JSONObject()
        object["format"] = .string(kind.rawValue)
        object["version"] = 1
        object["min_reader"] = .number(minimumReader)
        object["flags"] = .array([])
        object["space"] = .string(space)
        object["app"] = .string(app.rawValue)
        object["writer"] = .string(writer.description)
        object["sequence"] = .number(sequence)
        object["previous"] = previous.map(JSONValue.string) ?? .null
        var heads = JSONObject()
        for head in self.heads {
            heads[head.dot.writer.description] = .array([.number(head.dot.sequence), .string(head.hash)])
        }
        object["heads"] = .object(heads)
        object["clock"] = .array([.number(clock.milliseconds), .number(Int(clock.bits & 0xFFFF))])
        object["device"] = ["id": .string(device.id), "name": .string(device.name)]
        object["program"] = .string(program)
        object["schema"] = .number(schema)
        object["records"] = .number(records)
        if let part { object["part"] = .array([.number(part.number), .number(part.count)]) }
        return object
    }
}

extension CheckpointHeader {
    /// Returns the header as a line, without its line feed: the same header gives the same bytes.
    func encoded() -> [UInt8] {
        var object = segment.object(.checkpoint)
        object["forks"] = .array(
            forks.map { fork in
                .array([
                    .string(fork.writer.description), .number(fork.sequence), .string(fork.hash),
                    .string(fork.branch.description),
                ])
            }
        )
        return JSONValue.object(object).encoded(.compact)
    }
}
