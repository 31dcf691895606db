internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// The result of joining.
struct JoinReport {
    /// `Made` or `Joined`.
    let verb: String
    let path: String
    let space: String
    let device: SyncDevice
    let results: TargetResults<SyncReport>

    /// Prints the report.
    ///
    /// - Throws: The exit code of the first synchronisation, where that is not success: the folder is joined all the same.
    func finish(_ output: FormatOption) throws {
        let heading = Messages.joined(verb, path, device.name)
        let text = results.values.map { $0.value.text($0.target) }.joined()
        StandardError.write(results.errors)
        try output.print(
            TerminalText.safe(heading) + "\n" + text,
            [
                "folder": .string(path),
                "space": .string(space),
                "device": .object(device.json),
                "stores": results.json(\.json),
            ]
        )
        try results.status(\.status).finish()
    }
}
