import BZTimer
import FormatKit
import StrictJSON
import Testing

@Suite struct CategoryTests {
    @Test func vectors() throws {
        let vectors = try Fixtures.value("vectors/categories.json")
        for pair in vectors["same"]?.array ?? [] {
            #expect(Categories.areSame(pair.array?[0].string ?? "", pair.array?[1].string ?? "-"), "\(pair)")
        }
        for pair in vectors["different"]?.array ?? [] {
            #expect(!Categories.areSame(pair.array?[0].string ?? "", pair.array?[1].string ?? ""), "\(pair)")
        }
        let builtIn = try #require(vectors["builtIn"]?.object)
        #expect(builtIn.count == 9)
        for member in builtIn { #expect(Categories.builtIn(matching: member.name) == member.value.string) }
    }

    @Test func builtInCategoriesAreTheAppsSix() {
        #expect(Categories.builtIn == ["Exercise", "Study", "Work", "Household", "Creative", "Uncategorized"])
    }

    @Test func customCategoriesAreListedOnceInOrderOfUse() {
        let blocks = ["Knee", "work", "KNEE", nil, "Back"].map { Samples.block(category: $0) }
        let activities = [Samples.activity("a", category: "Guitar"), Samples.activity("b", category: "back")]
        #expect(Categories.custom(in: [Samples.session("A", blocks)], activities) == ["Knee", "Back", "Guitar"])
    }

    @Test(
        arguments: [
            ("Knee", Plan.free, "Custom categories are a Pro feature."), ("  \n", .pro, "a category needs a name"),
            ("", .pro, "a category needs a name"), ("wORK", .pro, "\"Work\" is a built-in category"),
            ("back", .pro, "there is a category \"Back\" already"), ("Knee", .pro, nil),
        ] as [(String, Plan, String?)]
    )
    func newNamesAreChecked(name: String, plan: Plan, message: String?) {
        do throws(AppFormatError) {
            try Categories.check(new: name, existing: ["Back"], plan: plan)
            #expect(message == nil)
        } catch {
            #expect(error.message == message)
        }
    }
}
