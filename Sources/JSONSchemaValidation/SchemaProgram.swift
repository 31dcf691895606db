internal import StrictJSON

/// A compiled subschema: indices into the program's tables, -1 where it has no rule of that kind.
///
/// The evaluator reads these by pointer for every value, so they hold nothing that is reference-counted.
struct CompiledSchema {
    /// A bit for each `TapeWord.Tag` that may stand here.
    var tags: UInt16 = .max
    /// A bit for each tag with which there is nothing else to check.
    var acceptedTags: UInt16 = .max
    /// True if decimals are allowed only where they are integers, such as `1.0`.
    var wantsInteger = false
    /// True if an integer must be written as one, as in draft 4: without a fraction or an exponent.
    var wantsIntegerToken = false
    var string: Int32 = -1
    var number: Int32 = -1
    var array: Int32 = -1
    var object: Int32 = -1
    /// The first of the keywords that apply to the value as a whole, and their number.
    var inPlace: Int32 = 0
    var inPlaceCount: Int32 = 0
    var resource: Int32 = 0
    /// Schemas for what no other keyword has evaluated.
    var unevaluatedProperties: Int32 = -1
    var unevaluatedItems: Int32 = -1

    var hasUnevaluated: Bool { unevaluatedProperties & unevaluatedItems != -1 }

    /// Finds which tags are accepted without a further look.
    mutating func setAcceptedTags() {
        acceptedTags = inPlaceCount > 0 || hasUnevaluated ? 0 : tags
        if wantsInteger { acceptedTags &= ~SchemaCompiler.bits(.decimal) }
        if string >= 0 { acceptedTags &= ~SchemaCompiler.bits(.string, .escapedString) }
        if number >= 0 { acceptedTags &= ~SchemaCompiler.bits(.integer, .decimal) }
        if array >= 0 { acceptedTags &= ~SchemaCompiler.bits(.array) }
        if object >= 0 { acceptedTags &= ~SchemaCompiler.bits(.object) }
        acceptedTags |= SchemaCompiler.bits(.elsewhere)
    }

}

struct StringRule {
    var minimum = 0
    var maximum = Int.max
    var pattern: Int32 = -1
    /// A `StringFormat`'s raw value, and the draft that defines it.
    var format: Int16 = -1
    var draft = JSONSchemaDraft.draft2020
}

struct NumberRule {
    /// The smallest and largest 64-bit integers that are allowed.
    var smallest = Int.min
    var largest = Int.max
    /// The divisor; 1 where there is none.
    var divisor = 1
    /// True if only the exact bounds will do, for integers too.
    var isExactOnly = false
    /// The exact bounds.
    var exact: Int32 = -1
}

/// Bounds of a number as they stand in the schema.
struct ExactBounds {
    var minimum: DecimalNumber?
    var exclusiveMinimum: DecimalNumber?
    var maximum: DecimalNumber?
    var exclusiveMaximum: DecimalNumber?
    var multipleOf: DecimalNumber?
}

struct ArrayRule {
    var minimum = 0
    var maximum = Int.max
    /// Schemas of the first elements, in the program's lists.
    var prefix: Int32 = 0
    var prefixCount: Int32 = 0
    var items: Int32 = -1
    var contains: Int32 = -1
    var minContains = 1
    var maxContains = Int.max
    var isUnique = false
    /// True if `items` is `additionalItems`, as the draft has an array of schemas for the first elements.
    var itemsAreAdditional = false
    /// True if elements that `contains` matches count as evaluated.
    var containsEvaluates = true
}

/// The rule for an object's member of one name.
struct PropertySlot {
    /// The name's number; -1 for a free slot.
    var name: Int32 = -1
    var schema: Int32 = -1
    var isRequired = false
}

struct ObjectRule {
    var minimum = 0
    var maximum = Int.max
    /// The start of the slots' hash table, and its size less one.
    var slots: Int32 = 0
    var slotMask: Int32 = 0
    /// The names that must be there, in the program's lists.
    var required: Int32 = 0
    var requiredCount: Int32 = 0
    var patterns: Int32 = 0
    var patternCount: Int32 = 0
    var additional: Int32 = -1
    var propertyNames: Int32 = -1
    var dependents: Int32 = 0
    var dependentCount: Int32 = 0
    /// True if the keyword says which members there are.
    var namesMembers = false
}

/// A member that asks for other members or a schema.
struct DependentRule {
    var name: Int32
    /// `dependentRequired`, or draft 7's `dependencies`.
    var keyword = "dependentRequired"
    /// Names in the program's lists.
    var required: Int32 = 0
    var requiredCount: Int32 = 0
    var schema: Int32 = -1
}

struct PatternRule {
    var pattern: Int32
    var schema: Int32
}

/// A keyword that applies to the value as a whole.
struct InPlaceRule {
    enum Keyword: UInt8 {
        /// `a` is the schema.
        case reference
        /// `a` is the static target, `b` the number of the anchor in `dynamicAnchors`.
        case dynamicReference
        /// `a` is where in the lists the schemas are, `b` how many.
        case allOf, anyOf, oneOf
        /// `a` is the schema.
        case not
        /// `a`, `b`, `c` are the schemas.
        case conditional
        /// `a` is the number of the set of constants.
        case constant
    }

    var keyword: Keyword
    var a: Int32
    var b: Int32 = -1
    var c: Int32 = -1
}

/// The values of an `enum` or `const`.
struct ConstantSet: ~Copyable {
    /// A bit for each tag that any of the values has.
    var tags: UInt16 = 0
    /// The strings among the values.
    var strings = NameTable()
    /// The integers of 64 bits among the values, in order.
    var integers: [Int] = []
    /// The other numbers, the arrays and the objects.
    var others: Set<ComparableForm> = []
    /// The numbers of elements or members that these values have.
    var sizes: Set<Int> = []
    let isConst: Bool

    init(isConst: Bool) { self.isConst = isConst }

    /// Tells whether an integer is among the values.
    func contains(_ integer: Int) -> Bool {
        var range = 0..<integers.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if integers[middle] == integer { return true }
            range = integers[middle] < integer ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }
}

/// A table that does not move.
struct Table<Element: ~Copyable>: ~Copyable {
    let base: UnsafeMutablePointer<Element>
    let count: Int

    init(_ elements: [Element]) where Element: Copyable {
        count = elements.count
        base = .allocate(capacity: max(count, 1))
        base.initialize(from: elements, count: count)
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }
}

/// A schema compiled for evaluation.
final class SchemaProgram: @unchecked Sendable {
    let schemas: Table<CompiledSchema>
    let strings: Table<StringRule>
    let numbers: Table<NumberRule>
    let arrays: Table<ArrayRule>
    let objects: Table<ObjectRule>
    let slots: Table<PropertySlot>
    let patternRules: Table<PatternRule>
    let dependents: Table<DependentRule>
    let inPlace: Table<InPlaceRule>
    let lists: Table<Int32>
    let patterns: Table<ECMARegex>
    let bounds: [ExactBounds]
    let constants: [ConstantBox]
    /// The same without reference counting.
    let constantSets: Table<Unmanaged<ConstantBox>>
    /// All names that any keyword mentions.
    let names: NameTable
    /// The schema of each dynamic anchor in each resource; -1 where a resource has none.
    let dynamicAnchors: [[Int32]]
    /// The place of each schema.
    let places: [SchemaRegistry.Place]
    /// The schemas that are nothing but a reference, with the numbers of what they lead to.
    let loneReferences: [SchemaRegistry.Place: Int32]
    let registry: SchemaRegistry
    let root: Int32
    /// The number of the document that was compiled, and its URI.
    let rootDocument: Int
    let rootURI: String
    let aliases: [String: SchemaAlias]
    /// The resources that references name by their URI.
    let namedResources: Set<Int>

    init(_ compiler: consuming SchemaCompiler, root: Int32, document: Int, uri: String) {
        schemas = Table(compiler.schemas)
        strings = Table(compiler.strings)
        numbers = Table(compiler.numbers)
        arrays = Table(compiler.arrays)
        objects = Table(compiler.objects)
        slots = Table(compiler.slots)
        patternRules = Table(compiler.patternRules)
        dependents = Table(compiler.dependents)
        inPlace = Table(compiler.inPlace)
        lists = Table(compiler.lists)
        patterns = Table(compiler.patterns)
        bounds = compiler.bounds
        constants = compiler.constants
        constantSets = Table(compiler.constants.map { Unmanaged.passUnretained($0) })
        dynamicAnchors = compiler.dynamicAnchors
        places = compiler.places
        loneReferences = compiler.loneReferences
        registry = compiler.registry
        names = compiler.names
        self.root = root
        rootDocument = document
        rootURI = uri
        aliases = compiler.aliases
        namedResources = compiler.namedResources
    }

    /// True if a reference can lead elsewhere depending on how its schema was reached.
    var isDynamic: Bool { !dynamicAnchors.isEmpty }

    /// Returns the schemas that a schema may apply to the same value; incomplete where that depends on the way there.
    func appliedInPlace(by schema: Int32) -> (schemas: [Int32], isComplete: Bool) {
        let compiled = schemas.base[Int(schema)]
        var applied: [Int32] = []
        var isComplete = true
        for offset in 0..<Int(compiled.inPlaceCount) {
            let rule = inPlace.base[Int(compiled.inPlace) + offset]
            switch rule.keyword {
            case .reference: applied.append(rule.a)
            case .dynamicReference:
                applied.append(rule.a)
                isComplete = false
            case .allOf, .anyOf, .oneOf: applied += (0..<Int(rule.b)).map { lists.base[Int(rule.a) + $0] }
            case .conditional: applied += [rule.a, rule.b, rule.c].filter { $0 >= 0 }
            case .not, .constant: break
            }
        }
        if compiled.object >= 0 {
            let rule = objects.base[Int(compiled.object)]
            for offset in 0..<Int(rule.dependentCount) {
                let dependent = dependents.base[Int(rule.dependents) + offset].schema
                if dependent >= 0 { applied.append(dependent) }
            }
        }
        return (applied, isComplete)
    }

    /// Returns the reference tokens from a schema's document to the schema.
    func path(of schema: Int32) -> [String] {
        let place = places[Int(schema)]
        return registry.documents[place.document].document.path(to: place.index)
    }

    /// Returns the location of a schema's keyword: the resource's URI and a JSON Pointer as its fragment.
    func location(of schema: Int32, keyword: String) -> String {
        let place = places[Int(schema)]
        let resource = registry.resources[Int(schemas.base[Int(schema)].resource)]
        let document = registry.documents[place.document].document
        let path = path(of: schema).dropFirst(document.path(to: resource.root).count)
        return resource.uri + "#" + JSONPointer(tokens: path + (keyword.isEmpty ? [] : [keyword])).description
    }

    /// Returns a keyword's value in the schema's text.
    func value(of keyword: String, in schema: Int32) -> JSONNode? {
        let place = places[Int(schema)]
        return JSONNode(document: registry.documents[place.document].document, index: place.index)[keyword]
    }
}

/// A constant set that the program can share.
final class ConstantBox: @unchecked Sendable {
    let set: ConstantSet

    init(_ set: consuming ConstantSet) { self.set = set }
}
