internal import FormatKit
internal import GymPulse
internal import StrictJSON
internal import XMLIO

/// Reads GymPulse presets out of a property list, as iOS and macOS keep an app's settings.
///
/// What the key `presets` has becomes JSON, with the same rules as a file of presets; an app that keeps its presets as JSON
/// in data or in a string is understood too. All places are those of the property list: `/presets/0/name`.
struct PropertyListPresets {
    /// The key that is asked for.
    static let key = "presets"

    private let name: String?
    private var findings: [Diagnostic] = []

    /// Reads the presets of a binary property list.
    static func read(_ bytes: [UInt8], name: String?, strict: Bool, repair: Bool) -> ParseResult<PresetFile> {
        do throws(PropertyListError) {
            return presets(try BinaryPropertyList.read(bytes, key: key), name, strict, repair)
        } catch {
            return PresetFormat.failing(error.diagnostic(file: name), name: name)
        }
    }

    /// Reads the presets of a property list in XML.
    static func read(_ root: XMLElement, name: String?, strict: Bool, repair: Bool) -> ParseResult<PresetFile> {
        do throws(PropertyListError) {
            return presets(try XMLPropertyList.read(root, key: key), name, strict, repair)
        } catch {
            return PresetFormat.failing(error.diagnostic(file: name), name: name)
        }
    }

    private static func presets(
        _ list: PropertyList,
        _ name: String?,
        _ strict: Bool,
        _ repair: Bool
    ) -> ParseResult<PresetFile> {
        var reader = PropertyListPresets(name: name)
        let text: Text
        do throws(PropertyListError) {
            text = try reader.text(of: list)
        } catch {
            return PresetFormat.failing(error.diagnostic(file: name), name: name)
        }
        let container = ParseContainer(
            form: list.form.rawValue,
            prefix: text.hasEnvelope ? [] : [key],
            otherKeys: list.keys.filter { $0 != key }.count,
            position: { pointer in Self.position(of: pointer.tokens.dropFirst(), in: list.value) }
        )
        let reading = PresetFormat.read(text.bytes, name: name, strict: strict, repair: repair)
        return reading.placed(in: container, as: .gympulse, adding: reader.findings)
    }

    private init(name: String?) { self.name = name }

    /// A file of presets.
    private struct Text {
        var bytes: [UInt8]
        /// True if its outermost object stands for the property list: both have the list under one key.
        var hasEnvelope = false
    }

    /// Returns the file of presets that a property list holds.
    private mutating func text(of list: PropertyList) throws(PropertyListError) -> Text {
        guard let node = list.value else {
            let keys = list.keys.prefix(10).map { "\"\($0)\"" }.joined(separator: ", ")
            let others = list.keys.isEmpty ? "it has none" : "its keys are \(keys)\(list.keys.count > 10 ? ", …" : "")"
            throw PropertyListError(.presets, "the property list has no key \"\(Self.key)\"; \(others)")
        }
        switch node.kind {
        case .data(let data): return text(of: data)
        case .string(let json): return text(of: Array(json.utf8))
        case .array, .dictionary:
            let value = try value(node, at: JSONPointer(tokens: [Self.key]))
            return value.map(Self.text) ?? Text(bytes: [])
        default:
            let message =
                "\"\(Self.key)\" is \(node.kind.words); expected an array, or data or a string with JSON in it"
            throw PropertyListError(.presets, message, at: node.position)
        }
    }

    private func text(of json: [UInt8]) -> Text {
        guard let document = try? JSONDocument(parsing: json) else { return Text(bytes: json) }
        return document.root.kind == .array ? Self.text(of: document.root.value) : Text(bytes: json)
    }

    /// Makes a file of a list.
    ///
    /// It is of version 2 where each preset has the switches of that version, and where there is none.
    private static func text(of value: JSONValue) -> Text {
        let isCurrent = value.array?.allSatisfy { $0["soundEnabled"] != nil && $0["voiceEnabled"] != nil }
        guard isCurrent == true else { return Text(bytes: value.encoded(.compact)) }
        let file: JSONValue = ["format": "gympulse-presets", "version": 2, "presets": value]
        return Text(bytes: file.encoded(.compact), hasEnvelope: true)
    }

    /// Returns a value as JSON; nil where it has none.
    private mutating func value(_ node: PropertyList.Node, at pointer: JSONPointer) throws(PropertyListError)
        -> JSONValue?
    {
        switch node.kind {
        case .dictionary(let members):
            var object = JSONObject()
            for member in members {
                let place = pointer.appending(member.key)
                if let value = try value(member.value, at: place) {
                    object[member.key] = value
                } else {
                    let text = "\(member.value.kind.words), which presets cannot hold; it is left out"
                    let code = PropertyListError.Code.value.rawValue
                    findings.append(
                        Diagnostic(
                            .warning,
                            code: code,
                            message: text,
                            file: name,
                            position: member.value.position,
                            pointer: place
                        )
                    )
                }
            }
            return .object(object)
        case .array(let elements):
            var values: [JSONValue] = []
            for (index, element) in elements.enumerated() {
                let place = pointer.appending(String(index))
                guard let value = try value(element, at: place) else {
                    let message = "\(element.kind.words), which presets cannot hold (at \(place))"
                    throw PropertyListError(.value, message, at: element.position)
                }
                values.append(value)
            }
            return .array(values)
        case .string(let text): return .string(text)
        case .number(let token): return .number(JSONNumber(validToken: token))
        case .real(let number): return JSONNumber(number).map { .number($0) }
        case .bool(let isTrue): return .bool(isTrue)
        case .null: return .null
        case .data, .other: return nil
        }
    }

    /// Returns the position of a value, or of the nearest one around it; tokens lead from the value of the key.
    private static func position(of tokens: some Collection<String>, in node: PropertyList.Node?) -> TextPosition? {
        guard let node, let token = tokens.first else { return node?.position }
        let next: PropertyList.Node? =
            switch node.kind {
            case .dictionary(let members): members.first { $0.key == token }?.value
            case .array(let elements): Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: nil
            }
        return next.flatMap { position(of: tokens.dropFirst(), in: $0) } ?? node.position
    }
}

extension PropertyListError {
    /// Returns the error as the diagnostic that programs print.
    func diagnostic(file: String?) -> Diagnostic {
        Diagnostic(code: code.rawValue, message: message, file: file, position: position)
    }
}
