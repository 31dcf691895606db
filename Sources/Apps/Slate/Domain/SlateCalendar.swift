public import CivilTime
import Crypto
import FormatKit
internal import StrictJSON

/// Writes due dates and habit reminders as iCalendar (RFC 5545).
///
/// A task that is due is an event of a whole day, with an alarm at 09:00. A habit with a reminder is an event of every day at
/// that time, wherever the person is. The `UID` of an event follows from the identifier of the task or habit, so that
/// a calendar program replaces what it took before.
public enum SlateCalendar {
    /// Returns the calendar's bytes for a file that is kept up to date: they change only where the records do.
    ///
    /// An event has the moment of its record's last change as `DTSTAMP`, and the reminders of a habit begin on the day on
    /// which it was made.
    ///
    /// - Parameters:
    ///   - name: What calendar programs call it.
    ///   - tasks: The tasks; those that are open and have a due date are written.
    ///   - habits: The habits; those that are active and have a reminder are written.
    ///   - generator: The program and its version.
    /// - Returns: The bytes, and how many events there are.
    public static func encodeLasting(
        _ name: String,
        tasks: [SlateTask] = [],
        habits: [SlateHabit] = [],
        generator: String
    ) -> (bytes: [UInt8], events: Int) {
        let made = encode(name, tasks, habits, today: nil, stamp: nil, generator)
        return (made.bytes, made.tasks + made.habits)
    }

    /// Returns the calendar's bytes; the same records and stamp give the same ones.
    ///
    /// - Parameters:
    ///   - tasks: The tasks; those that are open and have a due date are written.
    ///   - habits: The habits; those that are active and have a reminder are written.
    ///   - today: The day on which the reminders begin.
    ///   - stamp: Now, for `DTSTAMP`.
    ///   - generator: The program and its version.
    /// - Returns: The bytes, and how many events of each kind there are.
    public static func encode(
        tasks: [SlateTask],
        habits: [SlateHabit],
        today: CivilDay,
        stamp: Timestamp,
        generator: String
    ) -> (bytes: [UInt8], tasks: Int, habits: Int) {
        encode("Slate", tasks, habits, today: today, stamp: stamp, generator)
    }

    private static func encode(
        _ name: String,
        _ tasks: [SlateTask],
        _ habits: [SlateHabit],
        today: CivilDay?,
        stamp: Timestamp?,
        _ generator: String
    ) -> (bytes: [UInt8], tasks: Int, habits: Int) {
        let changed = { (text: String) in stamp ?? Timestamp(text) ?? Timestamp(seconds: 0) }
        var lines = CalendarLines()
        lines.add("BEGIN", "VCALENDAR")
        lines.add("VERSION", "2.0")
        lines.add("PRODID", text: "-//Satchel//\(generator)//EN")
        lines.add("CALSCALE", "GREGORIAN")
        lines.add("METHOD", "PUBLISH")
        lines.add("X-WR-CALNAME", text: name)
        var counts = (tasks: 0, habits: 0)
        for task in tasks where task.isOpen {
            guard let due = task.due else { continue }
            begin("task", task.id, task.title, task.notes, changed(task.updatedAt), &lines)
            lines.add("DTSTART;VALUE=DATE", basic(due))
            lines.add("DTEND;VALUE=DATE", basic(due.adding(days: 1)))
            end(task.title, alarm: "PT9H", &lines)
            counts.tasks += 1
        }
        for habit in habits where habit.isActive {
            guard let time = habit.reminderTime.flatMap(SlateDayStart.init) else { continue }
            begin("habit", habit.id, habit.title, habit.notes, changed(habit.updatedAt), &lines)
            let first = today ?? CivilDay(String(habit.createdAt.prefix(10))) ?? CivilDay(number: 0)
            // Without a zone: the time that the clock on the wall shows.
            lines.add("DTSTART", "\(basic(first))T\(time.description.filter { $0 != ":" })00")
            lines.add("DURATION", "PT15M")
            lines.add("RRULE", "FREQ=DAILY")
            end(habit.title, alarm: "PT0S", &lines)
            counts.habits += 1
        }
        lines.add("END", "VCALENDAR")
        return (lines.bytes, counts.tasks, counts.habits)
    }

    private static func begin(
        _ kind: String,
        _ id: String,
        _ title: String,
        _ notes: String?,
        _ stamp: Timestamp,
        _ lines: inout CalendarLines
    ) {
        lines.add("BEGIN", "VEVENT")
        let name = Hex.text(SHA256.hash(data: Array("\(kind) \(id)".utf8)).prefix(16))
        lines.add("UID", "\(name)@satchel")
        lines.add("DTSTAMP", CalendarLines.utc(stamp))
        lines.add("SUMMARY", text: title)
        if let notes, !notes.isEmpty { lines.add("DESCRIPTION", text: notes) }
        lines.add("TRANSP", "TRANSPARENT")
    }

    private static func end(_ title: String, alarm: String, _ lines: inout CalendarLines) {
        lines.add("BEGIN", "VALARM")
        lines.add("ACTION", "DISPLAY")
        lines.add("DESCRIPTION", text: title)
        lines.add("TRIGGER", alarm)
        lines.add("END", "VALARM")
        lines.add("END", "VEVENT")
    }

    private static func basic(_ day: CivilDay) -> String { day.description.filter { $0 != "-" } }
}
