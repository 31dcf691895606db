internal import StrictJSON

extension SchemaCompiler {
    /// Compiles what a schema says about members; -1 where it says nothing.
    mutating func compileObject(_ keywords: Keywords, _ vocabularies: Vocabularies) throws(SchemaError) -> Int32 {
        var rule = ObjectRule()
        var table: [Int32: PropertySlot] = [:]
        var isNeeded = false
        if vocabularies.validation {
            isNeeded = keywords["minProperties"] != nil || keywords["maxProperties"] != nil
            rule.minimum = try keywords.size("minProperties") ?? 0
            rule.maximum = try keywords.size("maxProperties") ?? .max
        }
        if vocabularies.applicator, let node = keywords["properties"] {
            // All names first, so that an object's names get numbers side by side.
            for member in try keywords.map("properties", node) { table[name(member.name)] = PropertySlot() }
        }
        if vocabularies.validation { try compileRequired(keywords, &rule, &table) }
        if vocabularies.applicator {
            if let node = keywords["properties"] {
                for member in node.members {
                    let number = try subschema(member.value, keywords)
                    table[name(member.name), default: PropertySlot()].schema = number
                }
            }
            try compilePatterns(keywords, &rule)
            rule.additional = try subschema(keywords["additionalProperties"], keywords)
            rule.propertyNames = try subschema(keywords["propertyNames"], keywords)
        }
        try compileDependents(keywords, vocabularies, &rule)
        isNeeded = isNeeded || !table.isEmpty || rule.patternCount > 0 || rule.dependentCount > 0
        guard isNeeded || rule.additional >= 0 || rule.propertyNames >= 0 else { return -1 }
        rule.namesMembers =
            vocabularies.applicator && (keywords["properties"] != nil || keywords["patternProperties"] != nil)
        layOut(table, &rule)
        objects.append(rule)
        return Int32(objects.count - 1)
    }

    private mutating func compileRequired(
        _ keywords: Keywords,
        _ rule: inout ObjectRule,
        _ table: inout [Int32: PropertySlot]
    ) throws(SchemaError) {
        guard let node = keywords["required"] else { return }
        var required: [Int32] = []
        for text in try keywords.strings("required", node) {
            let number = name(text)
            if table[number]?.isRequired != true { required.append(number) }
            table[number, default: PropertySlot()].isRequired = true
        }
        rule.required = list(required)
        rule.requiredCount = Int32(required.count)
    }

    private mutating func compilePatterns(_ keywords: Keywords, _ rule: inout ObjectRule) throws(SchemaError) {
        guard let node = keywords["patternProperties"] else { return }
        var rules: [PatternRule] = []
        for member in try keywords.map("patternProperties", node) {
            // The word before a member's value is its name.
            let name = Place(document: keywords.place.document, index: member.value.index - 1)
            let number = try pattern(member.name, name, "patternProperties")
            rules.append(PatternRule(pattern: number, schema: try subschema(member.value, keywords)))
        }
        rule.patterns = Int32(patternRules.count)
        rule.patternCount = Int32(rules.count)
        patternRules += rules
    }

    private mutating func compileDependents(
        _ keywords: Keywords,
        _ vocabularies: Vocabularies,
        _ rule: inout ObjectRule
    ) throws(SchemaError) {
        var rules: [DependentRule] = []
        if vocabularies.validation, let node = keywords["dependentRequired"] {
            for member in try keywords.map("dependentRequired", node) {
                let required = try keywords.strings("dependentRequired", member.value).map { name($0) }
                rules.append(
                    DependentRule(
                        name: name(member.name),
                        required: list(required),
                        requiredCount: Int32(required.count)
                    )
                )
            }
        }
        if vocabularies.applicator, let node = keywords["dependentSchemas"] {
            for member in try keywords.map("dependentSchemas", node) {
                rules.append(DependentRule(name: name(member.name), schema: try subschema(member.value, keywords)))
            }
        }
        // What draft 7 had for both: to pass over it in silence would accept what its author meant to refuse.
        if vocabularies.applicator, let node = keywords["dependencies"] {
            for member in try keywords.map("dependencies", node) {
                var rule = DependentRule(name: name(member.name), keyword: "dependencies")
                if member.value.kind == .array {
                    let required = try keywords.strings("dependencies", member.value).map { name($0) }
                    (rule.required, rule.requiredCount) = (list(required), Int32(required.count))
                } else {
                    rule.schema = try subschema(member.value, keywords)
                }
                rules.append(rule)
            }
        }
        rule.dependents = Int32(dependents.count)
        rule.dependentCount = Int32(rules.count)
        dependents += rules
    }

    /// Lays the slots out as an open hash table; names of one object mostly have numbers side by side.
    private mutating func layOut(_ table: [Int32: PropertySlot], _ rule: inout ObjectRule) {
        // A free slot at least, so that every search ends.
        var capacity = 1
        while capacity <= table.count { capacity *= 2 }
        if capacity < table.count * 2 { capacity *= 2 }
        rule.slots = Int32(slots.count)
        rule.slotMask = Int32(capacity - 1)
        slots += Array(repeating: PropertySlot(), count: capacity)
        for (name, slot) in table {
            var index = Int(name & rule.slotMask)
            while slots[Int(rule.slots) + index].name >= 0 { index = (index + 1) & (capacity - 1) }
            slots[Int(rule.slots) + index] = slot
            slots[Int(rule.slots) + index].name = name
        }
    }
}
