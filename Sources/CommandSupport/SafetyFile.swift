package import CivilTime

/// A file beside a store with its content before a command changed it.
package enum SafetyFile {
    /// Writes the file.
    ///
    /// - Parameters:
    ///   - bytes: A backup of the store.
    ///   - store: The path of the store.
    ///   - moment: The present moment.
    /// - Returns: The path of the file: `bztimer.db.before-20261121-073000.json`.
    package static func write(_ bytes: [UInt8], beside store: String, at moment: Timestamp) throws(CommandFailure)
        -> String
    {
        let path = path(beside: store, at: moment, extension: "json")
        try OutputFile(path).write(bytes)
        return path
    }

    /// Returns a path that is free.
    package static func path(beside store: String, at moment: Timestamp, extension: String) -> String {
        let digits = moment.description.filter(\.isNumber)
        let name = "\(store).before-\(digits.prefix(8))-\(digits.dropFirst(8).prefix(6))"
        var path = "\(name).\(`extension`)"
        var number = 2
        while OutputFile(path).isTaken {
            path = "\(name)-\(number).\(`extension`)"
            number += 1
        }
        return path
    }
}
