public import CivilTime
internal import StrictJSON

extension SlateDays {
    /// A task in the plan of a day.
    public struct PlannedTask: Sendable, Hashable {
        /// The task's identifier, `entity_id` of the plan's item.
        public var id: String
        /// True if the task is done.
        public var isDone: Bool

        /// Makes a task in a plan.
        public init(id: String, isDone: Bool) {
            self.id = id
            self.isDone = isDone
        }
    }

    /// The changes to write when a new day has begun.
    public struct Rollover: Sendable, Hashable {
        /// An item to add to today's plan.
        public struct Item: Sendable, Hashable {
            /// The identifier of the new item.
            public var id: String
            /// The identifier of the task.
            public var taskID: String
        }

        /// The new value of `meta.last_open_date`, and the day of the items.
        public var today: CivilDay
        /// True if `day_plan` needs a row for today, unless it has one.
        public var needsDayPlan: Bool
        /// The tasks to carry over, in the order of the plan that they come from.
        public var items: [Item]
    }

    /// Returns the changes to write when the day has changed since the app was last open; nil where there are none.
    ///
    /// Nothing is to be done on the first opening, on the same day, and where the last opening lies after today (the
    /// clock was put back, or the day start moved): the plan of a day to come stays where it is, `last_open_date`
    /// stays, and nothing is carried over until that day has passed. Carried over are tasks of the day of the last
    /// opening only, however long ago it was, and archived ones too; never habits, which are part of every day. Once it
    /// is written, nothing is left to do; and what today's plan has already is not added again.
    ///
    /// - Parameters:
    ///   - lastOpen: `meta.last_open_date`, or nil where there is none.
    ///   - today: What counts as today.
    ///   - autoCarryover: Whether unfinished tasks are carried over.
    ///   - planned: The tasks in the plan of the day of the last opening.
    ///   - alreadyPlanned: The identifiers of the tasks in today's plan.
    ///   - newID: Gives a new identifier at each call; called once for each item that is added.
    public static func rollover(
        lastOpen: CivilDay?,
        today: CivilDay,
        autoCarryover: Bool,
        planned: some Sequence<PlannedTask>,
        alreadyPlanned: some Sequence<String>,
        newID: () -> String
    ) -> Rollover? {
        guard let lastOpen, lastOpen < today else { return nil }
        var rollover = Rollover(today: today, needsDayPlan: autoCarryover, items: [])
        guard autoCarryover else { return rollover }
        var taken = Set(alreadyPlanned.map(ScalarKey.init))
        for task in planned where !task.isDone && taken.insert(ScalarKey(task.id)).inserted {
            rollover.items.append(Rollover.Item(id: newID(), taskID: task.id))
        }
        return rollover
    }
}
