internal import BZTimer
package import RecordStore
internal import Slate
internal import StudyTimer
internal import TimeTracker

extension AppStores {
    /// The stores of all apps that the programs serve.
    package static let all = AppStores([BZTimerApp(), SlateApp(), TimeTrackerApp(), StudyTimerApp()])
}
