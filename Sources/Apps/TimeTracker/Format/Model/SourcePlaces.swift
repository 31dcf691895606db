/// The places that a source has for what it may say of an entry beside its name and times.
///
/// Where such a place is empty, the source says that there is nothing. Of a member without a place it says nothing.
package struct SourcePlaces: Sendable, Hashable {
    /// The names of the members with a place of their own: details such as `client`, and `buttonId` and `color`.
    package var members: Set<String>
    /// The columns of a report that an activity keeps under their own headings.
    package var columns: Set<String>
    /// True if all other members have a place as well.
    package var hasOthers: Bool
    /// The names of members that have a place whatever they hold.
    package var named: Set<String>
    /// True if the source has no parts of a second and no running entries: these end as they begin.
    package var isInSeconds = false

    /// Makes the places of a source.
    package init(
        members: Set<String> = [],
        columns: Set<String> = [],
        hasOthers: Bool = false,
        named: Set<String> = []
    ) {
        (self.members, self.columns, self.hasOthers, self.named) = (members, columns, hasOthers, named)
    }
}
