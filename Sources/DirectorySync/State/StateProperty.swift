/// The name of a property of the state.
struct StateProperty {
    let name: String

    init(_ name: String) { self.name = name }
}

extension StateProperty {
    // MARK: Set when the device joins

    /// The space that the replica is of.
    static let space = StateProperty("space")
    /// The app of the store.
    static let app = StateProperty("app")
    /// The declaration of the app's tables, as JSON; none for an app that the program knows.
    static let declaration = StateProperty("declaration")
    /// The replica's own name, which the store's link repeats.
    static let replica = StateProperty("replica")
    /// The name under which the device writes.
    static let writer = StateProperty("writer")
    /// The identifier and the name of the device, until its first change tells them.
    static let device = StateProperty("device")
    /// Set where the folder is encrypted.
    static let sealed = StateProperty("sealed")

    // MARK: Counts

    /// The number of the writer's last change.
    static let sequence = StateProperty("sequence")
    /// The latest clock of all changes seen or made.
    static let clock = StateProperty("clock")
    /// How often the store was written, which the store's link repeats.
    static let generation = StateProperty("generation")
    /// The rows of records that packing left.
    static let unpacked = StateProperty("unpacked")

    // MARK: What the next synchronisation has to do

    /// Set until the whole store was compared for the first time.
    static let fresh = StateProperty("fresh")
    /// Set on a copied or restored device until nothing of its store waits for a person's decision.
    static let restored = StateProperty("restored")
    /// The reason for which the whole store is compared.
    static let full = StateProperty("full")
    /// The records that the store is being given: all, or the number of untried ones.
    static let giving = StateProperty("giving")
    /// The packed blocks that the store is being given.
    static let givingBlocks = StateProperty("giving-blocks")
    /// Set where the store is being given records beside a journal that it keeps.
    static let keepsJournal = StateProperty("keeps-journal")
    /// The store's schema and the program when records were last rejected: both unchanged, they are not tried again.
    static let refusedBy = StateProperty("refused-by")
    /// The program that resolved the records in conflict: another one may have other rules.
    static let resolvedBy = StateProperty("resolved-by")
    /// The store's generation from which parts were taken that the store kept beside its tables.
    static let takenExtras = StateProperty("taken-extras")

    // MARK: What was last seen

    /// The fingerprint of the store's file at the end of the last synchronisation.
    static let storeStamp = StateProperty("store-stamp")
    /// The tables and columns that are not declared, as they were last told.
    static let unsynced = StateProperty("unsynced")
    /// The heads of the last checkpoint.
    static let checkpointHeads = StateProperty("checkpoint-heads")
    /// The bytes of the last checkpoint.
    static let checkpointSize = StateProperty("checkpoint-size")
    /// When the last export was made that was taken in.
    static let exportedAt = StateProperty("exported-at")
    /// The columns that exports of the device have named so far, as JSON by table.
    static let exportedColumns = StateProperty("exported-columns")
    /// The folder's identifiers of records that exports of the device have with other ones, as JSON by collection.
    static let exportedIdentifiers = StateProperty("exported-identifiers")
}
