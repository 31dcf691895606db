/// Words on a store that other devices share.
package enum SharedStore {
    /// A line of a restore's plan.
    package static let removedEverywhere =
        "Sync removes them on all devices that share this store, also where another device added them: of most records "
        + "it asks first."
}
