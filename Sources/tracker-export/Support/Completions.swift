internal import ArgumentParser
internal import CommandSupport
internal import RecordStore
internal import StudyTimer
internal import TimeTracker

extension CompletionKind {
    /// The names of the buttons in the default store, those that are shown first.
    static var buttons: CompletionKind {
        .custom { _, _, _ in
            guard let path = try? StoreArgument.path(nil, option: "--store", default: TrackerStore.fileName),
                let store = try? TrackerStore(path: path, for: .reading),
                let buttons = try? store.read({ try $0.buttons() })
            else { return [] }
            return buttons.filter(\.isVisible).map(\.name) + buttons.filter { !$0.isVisible }.map(\.name)
        }
    }

    /// The subjects of the sessions in the default store, the newest first.
    static var subjects: CompletionKind {
        .custom { _, _, _ in
            guard let path = try? StoreArgument.path(nil, option: "--store", default: StudyStore.fileName),
                let store = try? StudyStore(path: path, for: .reading), let log = try? store.read({ try $0.log() })
            else { return [] }
            var seen: Set<SubjectKey> = []
            return log.sessions.reversed().map(\.subject).filter { seen.insert(SubjectKey($0)).inserted }
        }
    }
}
