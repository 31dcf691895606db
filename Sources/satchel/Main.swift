internal import ArgumentParser
internal import CMalloc
internal import CommandSupport
internal import bzpack
internal import foldersync
internal import slate_backup
internal import tracker_export

/// One program under five names: a link called bzpack, slate-backup, tracker-export or foldersync runs that part of it.
@main
enum Main {
    static func main() {
        // A heap of each thread keeps what a moment needed: joining with a million records takes twice the memory. With one
        // heap for all, threads wait for each other: joining takes an eighth longer.
        cmalloc_share_heaps()
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
        switch name {
        case "bzpack": TimerProgram.run()
        case "slate-backup": SlateProgram.run()
        case "tracker-export": TimeProgram.run()
        case "foldersync": SyncProgram.run()
        default: runSatchel()
        }
    }

    /// Runs the part that the first word names; each part knows what its errors mean.
    private static func runSatchel() {
        switch Program.arguments.first {
        case "timer", "schema": TimerProgram.run(Satchel.self)
        case "slate": SlateProgram.run(Satchel.self)
        case "time": TimeProgram.run(Satchel.self)
        case "study":
            TimeProgram.useStudyTimer()
            TimeProgram.run(Satchel.self)
        default: SyncProgram.run(Satchel.self)
        }
    }
}
