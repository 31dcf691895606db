internal import StrictJSON

/// BZ Timer: what is done to history when its session goes.
enum BztimerRepairs {
    static func mend(_ set: inout ShownSet) {
        for key in set.keys("history") {
            guard let session = set.records.objects[key]?["sessionId"]?.string,
                set.records.objects[RecordKey("sessions", session)] == nil
            else { continue }
            set.records.objects[key]?["sessionId"] = .null
        }
    }
}
