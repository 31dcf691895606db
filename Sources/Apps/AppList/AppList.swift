internal import BZTimer
package import RecordStore
internal import Slate
internal import StudyTimer
internal import TimeTracker

/// All apps that the programs serve.
package let apps: [any AppDefinition] = [BZTimerApp(), SlateApp(), TimeTrackerApp(), StudyTimerApp()]
