import FormatKit
package import StrictJSON

/// What presets lie in where their file is not itself JSON.
package struct PresetContainer: Sendable {
    /// What it is, in words.
    package var form: String
    /// The reference tokens that lead to the text of the presets.
    package var prefix: [String]
    /// How many other keys it has.
    package var otherKeys: Int
    /// The place in the file of what it has at a pointer.
    package var position: @Sendable (JSONPointer) -> TextPosition?

    /// A container.
    package init(
        form: String,
        prefix: [String],
        otherKeys: Int,
        position: @escaping @Sendable (JSONPointer) -> TextPosition?
    ) {
        self.form = form
        self.prefix = prefix
        self.otherKeys = otherKeys
        self.position = position
    }

    func pointer(_ pointer: JSONPointer) -> JSONPointer { JSONPointer(tokens: prefix + pointer.tokens) }
}

extension PresetReading {
    /// A container in which no presets were found.
    package init(failing fault: Diagnostic, name: String?) {
        self.init()
        self.name = name
        identity = .gympulse
        diagnostics = [fault]
        findingCount = 1
    }

    /// The reading of the text in a container as one of the container: its places are that one's.
    ///
    /// - Parameter findings: What was found in the container itself; it comes first.
    package func placed(in container: PresetContainer, adding findings: [Diagnostic]) -> PresetReading {
        var reading = self
        reading.container = container
        // Whatever the text is, it is where presets should be.
        reading.identity = .gympulse
        let own = diagnostics.map { finding in
            var finding = finding
            finding.pointer = container.pointer(finding.pointer ?? .root)
            finding.position = finding.pointer.flatMap(container.position)
            return finding
        }
        reading.diagnostics = Array((findings + own).prefix(Self.findingLimit))
        reading.findingCount += findings.count
        reading.unknownMembers = unknownMembers.map(container.pointer)
        return reading
    }
}
