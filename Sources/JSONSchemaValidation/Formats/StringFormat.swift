/// A format of the JSON Schema 2020-12 format vocabulary (Validation, section 7.3) and its check.
///
/// ```swift
/// let format = StringFormat(name: "date-time")
/// var text = "2024-02-29T12:00:00Z"
/// text.withUTF8 { format?.isValid($0) }  // true
/// ```
package enum StringFormat: UInt8, Sendable, CaseIterable {
    case dateTime
    case date
    case time
    case duration
    case email
    case idnEmail
    case hostname
    case idnHostname
    case ipv4
    case ipv6
    case uri
    case uriReference
    case iri
    case iriReference
    case uuid
    case uriTemplate
    case jsonPointer
    case relativeJSONPointer
    case regex

    /// Makes the format of that name; nil for a name that is none.
    package init?(name: String) {
        guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// The name that the draft gives the format, as it stands in a schema.
    package var name: String {
        switch self {
        case .dateTime: "date-time"
        case .date: "date"
        case .time: "time"
        case .duration: "duration"
        case .email: "email"
        case .idnEmail: "idn-email"
        case .hostname: "hostname"
        case .idnHostname: "idn-hostname"
        case .ipv4: "ipv4"
        case .ipv6: "ipv6"
        case .uri: "uri"
        case .uriReference: "uri-reference"
        case .iri: "iri"
        case .iriReference: "iri-reference"
        case .uuid: "uuid"
        case .uriTemplate: "uri-template"
        case .jsonPointer: "json-pointer"
        case .relativeJSONPointer: "relative-json-pointer"
        case .regex: "regex"
        }
    }

    /// Tells whether a string has the format.
    ///
    /// - Parameters:
    ///   - utf8: The whole string, unescaped, as valid UTF-8. Bytes that are not valid UTF-8 give an unspecified
    ///     answer, but are never read past their end.
    ///   - draft: The draft that defines the format.
    package func isValid(_ utf8: UnsafeBufferPointer<UInt8>, in draft: JSONSchemaDraft = .draft2020) -> Bool {
        switch self {
        case .dateTime: RFC3339.isDateTime(utf8)
        case .date: RFC3339.isDate(utf8)
        case .time: RFC3339.isTime(utf8)
        case .duration: DurationFormat.isValid(utf8)
        case .email: EmailFormat.isValid(utf8, isInternational: false)
        case .idnEmail: EmailFormat.isValid(utf8, isInternational: true)
        case .hostname: HostnameFormat.isValid(utf8)
        case .idnHostname: HostnameFormat.isValidInternational(utf8)
        case .ipv4: IPAddressFormat.isIPv4(utf8)
        case .ipv6: IPAddressFormat.isIPv6(utf8)
        case .uri: URIFormat(utf8, isInternational: false).isURI
        case .uriReference: URIFormat(utf8, isInternational: false).isReference
        case .iri: URIFormat(utf8, isInternational: true).isURI
        case .iriReference: URIFormat(utf8, isInternational: true).isReference
        case .uuid: UUIDFormat.isValid(utf8)
        case .uriTemplate: URITemplateFormat.isValid(utf8)
        case .jsonPointer: JSONPointerFormat.isValid(utf8)
        case .relativeJSONPointer: JSONPointerFormat.isValidRelative(utf8, movesIndex: draft >= .draft2020)
        case .regex: RegexFormat.isValid(utf8)
        }
    }
}
