/// A database by its path, for pages.
struct SlateDatabasePath: DatabaseAccess {
    /// The path that was given; nil for the usual place.
    let path: String?
    let excluded: [String]

    init(_ path: String?, excluded: [String] = []) { (self.path, self.excluded) = (path, excluded) }
}
