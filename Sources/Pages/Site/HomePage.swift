/// The first page: one sentence, what to do next, and a card for each device, store and folder.
///
/// Where no source gives an overview, it is the first page of the first source.
struct HomePage: PageSource {
    let sources: [any PageSource]
    let sentence: @Sendable (any Error) -> String

    var links: [PageLink] { [PageLink("Home", "/")] }

    func response(to request: PageRequest) throws -> PageResponse {
        var overviews: [PageOverview] = []
        for source in sources {
            do {
                if let overview = try source.overview(for: request) { overviews.append(overview) }
            } catch {
                let name = source.links.first?.title ?? "A page"
                var overview = PageOverview(name)
                overview.problems = ["\(name) cannot be shown"]
                overview.cards = [
                    .init(name, .fault, "cannot be shown", lines: ["\(request.sentence(sentence(error)))"])
                ]
                overviews.append(overview)
            }
        }
        // A source without pages of its own is there for its overview: without it nothing is set up.
        if overviews.isEmpty, let first = sources.first, let link = first.links.first,
            sources.allSatisfy({ !$0.links.isEmpty })
        {
            return try first.response(to: request.at(link.path))
        }
        let next = overviews.flatMap(\.next)
        let steps: HTML = """
            <section aria-labelledby="next"><h2 id="next">Next</h2><ul class="next">
            \(next.map { "<li>\($0)</li>" })
            </ul></section>
            """
        let body: HTML = """
            \(Self.state(overviews))
            \(next.isEmpty ? HTML() : steps)
            \(overviews.enumerated().map { Self.section($0.offset, $0.element) })
            """
        return .page(Page("Home", body: body))
    }

    /// Returns the sentence, which is green where nothing needs a person.
    private static func state(_ overviews: [PageOverview]) -> HTML {
        let problems = overviews.flatMap(\.problems)
        guard problems.isEmpty else {
            return "<p class=\"state attention\"><strong>Needs you:</strong> \(joined(problems, ", "))</p>"
        }
        let fine = overviews.flatMap(\.fine)
        let text = fine.isEmpty ? "Nothing is set up on this device yet." : joined(fine, ". ")
        return fine.isEmpty
            ? "<p class=\"state\">\(text)</p>" : "<p class=\"state good\"><strong>All is well:</strong> \(text)</p>"
    }

    private static func joined(_ parts: [String], _ separator: String) -> String {
        let text = parts.joined(separator: separator)
        return text.hasSuffix(".") ? text : text + "."
    }

    private static func section(_ number: Int, _ overview: PageOverview) -> HTML {
        guard !overview.cards.isEmpty else { return HTML() }
        return """
            <section aria-labelledby="part\(number)"><h2 id="part\(number)">\(overview.heading)</h2>
            <ul class="cards">
            \(overview.cards.map(card))
            </ul></section>
            """
    }

    private static func card(_ card: PageOverview.Card) -> HTML {
        let health: HTML =
            switch card.health {
            case .good: "good"
            case .attention: "attention"
            case .fault: "fault"
            }
        return """
            <li class="card \(health)"><h3>\(card.title)</h3>
            <p class="badge \(health)">\(card.state)</p>
            \(card.lines.map { "<p>\($0)</p>" })
            \(card.links.isEmpty ? HTML() : "<p class=\"links\">\(card.links)</p>")
            </li>
            """
    }
}
