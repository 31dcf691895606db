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
        let digits = moment.description.filter(\.isNumber)
        let name = "\(store).before-\(digits.prefix(8))-\(digits.dropFirst(8).prefix(6))"
        var path = "\(name).json"
        var number = 2
        while OutputFile(path).isTaken {
            path = "\(name)-\(number).json"
            number += 1
        }
        try OutputFile(path).write(bytes)
        return path
    }
}
