package import CivilTime

/// All pages that are shown together.
package struct Site: Sendable {
    /// The name of the whole.
    package let title: String
    private let sources: [any PageSource]
    /// The present moment.
    package let now: @Sendable () -> Timestamp
    /// The clock of local times.
    package let clock: LocalClock
    private let sentence: @Sendable (any Error) -> String

    /// Makes a site whose first page shows an overview of all sources.
    ///
    /// - Parameters:
    ///   - sources: The sources, in the order of the navigation.
    ///   - sentence: What an error means to a person.
    package init(
        _ title: String,
        _ sources: [any PageSource],
        now: @escaping @Sendable () -> Timestamp,
        clock: LocalClock,
        sentence: @escaping @Sendable (any Error) -> String
    ) {
        self.title = title
        self.sources = [HomePage(sources: sources, sentence: sentence)] + sources
        (self.now, self.clock, self.sentence) = (now, clock, sentence)
    }

    /// The pages that every page leads to.
    package var links: [PageLink] { sources.flatMap(\.links) }

    /// The folders of this device that an export does not tell.
    var places: LocalPlaces { sources.map(\.places).reduce(LocalPlaces(), +) }

    /// Returns the answer to a request, also where a source throws.
    package func response(to request: PageRequest) -> PageResponse {
        guard let source = source(of: request.path) else { return .missing }
        do {
            return try source.response(to: request)
        } catch {
            return .refused(
                Page("This did not work", body: "<p class=\"fault\">\(request.sentence(sentence(error)))</p>")
            )
        }
    }

    private func source(of path: String) -> (any PageSource)? {
        sources.first { source in
            source.links.contains { $0.path == path || $0.path != "/" && path.hasPrefix($0.path + "/") }
        }
    }
}
