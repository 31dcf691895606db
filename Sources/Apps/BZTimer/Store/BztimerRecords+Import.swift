internal import GymPulse

extension BztimerRecords {
    /// Carries an import plan out: what it creates is added in its order, with the unknown members of the file.
    ///
    /// - Throws: `store.conflict` where the store has a record with the same id; SQLite's other errors.
    public func apply(_ plan: ImportPlan) throws {
        let added = plan.addedCategories
        if !added.isEmpty {
            var settings = try settings()
            settings.customCategories += added
            try save(settings)
        }
        for activity in plan.activities { try insert(activity, envelope: plan.envelope) }
        for session in plan.sessions { try insert(session, envelope: plan.envelope) }
        for session in plan.replacements { try update(session) }
        for preset in plan.presetReplacements { try replace(preset) }
        for preset in plan.presets { try insert(preset, envelope: plan.envelope) }
    }
}
