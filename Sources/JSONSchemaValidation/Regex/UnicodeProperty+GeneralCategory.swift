extension UnicodeProperty {
    /// Returns the set of a General_Category value or of a group of them, by short or long name.
    static func generalCategory(_ name: String) -> ScalarSet? {
        if let short = shortNames[name] { return categorySets[short] }
        guard let members = groups.first(where: { $0.names.contains(name) })?.members else { return nil }
        return ScalarSet(members.flatMap { categorySets[$0]?.ranges ?? [] })
    }

    /// Every name of a single category with its short name.
    private static let shortNames: [String: String] = {
        var result: [String: String] = [:]
        for names in categories {
            for name in names { result[name] = names[0] }
        }
        return result
    }()

    /// The categories by short name, long name and further names (PropertyValueAliases.txt).
    private static let categories: [[String]] = [
        ["Lu", "Uppercase_Letter"], ["Ll", "Lowercase_Letter"], ["Lt", "Titlecase_Letter"],
        ["Lm", "Modifier_Letter"], ["Lo", "Other_Letter"],
        ["Mn", "Nonspacing_Mark"], ["Mc", "Spacing_Mark"], ["Me", "Enclosing_Mark"],
        ["Nd", "Decimal_Number", "digit"], ["Nl", "Letter_Number"], ["No", "Other_Number"],
        ["Pc", "Connector_Punctuation"], ["Pd", "Dash_Punctuation"], ["Ps", "Open_Punctuation"],
        ["Pe", "Close_Punctuation"], ["Pi", "Initial_Punctuation"], ["Pf", "Final_Punctuation"],
        ["Po", "Other_Punctuation"],
        ["Sm", "Math_Symbol"], ["Sc", "Currency_Symbol"], ["Sk", "Modifier_Symbol"], ["So", "Other_Symbol"],
        ["Zs", "Space_Separator"], ["Zl", "Line_Separator"], ["Zp", "Paragraph_Separator"],
        ["Cc", "Control", "cntrl"], ["Cf", "Format"], ["Cs", "Surrogate"], ["Co", "Private_Use"], ["Cn", "Unassigned"],
    ]

    private static let groups: [(names: [String], members: [String])] = [
        (["L", "Letter"], ["Lu", "Ll", "Lt", "Lm", "Lo"]),
        (["LC", "Cased_Letter"], ["Lu", "Ll", "Lt"]),
        (["M", "Mark", "Combining_Mark"], ["Mn", "Mc", "Me"]),
        (["N", "Number"], ["Nd", "Nl", "No"]),
        (["P", "Punctuation", "punct"], ["Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"]),
        (["S", "Symbol"], ["Sm", "Sc", "Sk", "So"]),
        (["Z", "Separator"], ["Zs", "Zl", "Zp"]),
        (["C", "Other"], ["Cc", "Cf", "Cs", "Co", "Cn"]),
    ]

    /// The members of each category, all found in one pass.
    private static let categorySets: [String: ScalarSet] = {
        var ranges: [String: [ClosedRange<UInt32>]] = [:]
        var runs: [ClosedRange<UInt32>] = []
        var current = Unicode.GeneralCategory.control
        forEachScalar { scalar, run in
            let category = scalar.properties.generalCategory
            if category != current {
                ranges[shortName(of: current), default: []] += runs
                runs = []
                current = category
            }
            append(run, to: &runs)
        }
        ranges[shortName(of: current), default: []] += runs
        ranges["Cs"] = [0xD800...0xDFFF]
        return ranges.mapValues { ScalarSet($0) }
    }()

    private static func shortName(of category: Unicode.GeneralCategory) -> String {
        switch category {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
