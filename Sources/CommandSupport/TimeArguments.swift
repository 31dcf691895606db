internal import ArgumentParser
package import CivilTime

extension TimeExpression {
    /// Reads a day from the command line.
    ///
    /// - Throws: A `ValidationError` that names the accepted forms.
    package static func day(_ text: String) throws -> TimeExpression {
        try read(text, expectsDay: true)
    }

    /// Reads a moment from the command line.
    ///
    /// - Throws: A `ValidationError` that names the accepted forms.
    package static func moment(_ text: String) throws -> TimeExpression { try read(text, expectsDay: false) }

    private static func read(_ text: String, expectsDay: Bool) throws -> TimeExpression {
        do throws(TimeExpressionError) {
            let expression = try TimeExpression(text)
            // A time where a day is expected is refused before anything is read.
            if expectsDay, !expression.isDay { _ = try expression.day(today: CivilDay(number: 0)) }
            return expression
        } catch {
            throw ValidationError(error.message(expectsDay: expectsDay))
        }
    }

    /// Returns the day that was given.
    ///
    /// - Parameters:
    ///   - option: The option or argument, for messages.
    ///   - today: The present day.
    ///   - output: Where the day is shown as it was understood; nil to say nothing.
    /// - Throws: 64 where the present year has no such date.
    package func day(_ option: String, today: CivilDay, echo output: OutputFormat? = nil) throws(CommandFailure)
        -> CivilDay
    {
        do throws(TimeExpressionError) {
            let day = try day(today: today)
            if text != day.description { Self.echo("\(text) = \(day.words)", output) }
            return day
        } catch {
            throw CommandFailure(.usage, "\(option) \"\(text)\": \(error.message(expectsDay: true))")
        }
    }

    /// Returns the moment that was given.
    ///
    /// - Parameters:
    ///   - option: The option or argument, for messages.
    ///   - now: The present moment.
    ///   - clock: The clock of local times.
    ///   - dayStart: The seconds after 00:00 at which the app's days begin.
    ///   - output: Where the moment is shown as it was understood; nil to say nothing.
    /// - Throws: 64 where the clock skipped a local time, or showed it twice.
    package func moment(
        for option: String,
        now: Timestamp,
        clock: LocalClock,
        dayStart: Int = 0,
        echo output: OutputFormat? = nil
    ) throws(CommandFailure) -> Timestamp {
        do throws(TimeExpressionError) {
            let moment = try moment(now: now, clock: clock, dayStart: dayStart)
            if Timestamp(text) == nil { Self.echo("\(text) = \(clock.words(of: moment))", output) }
            return moment
        } catch {
            throw CommandFailure(.usage, "\(option) \"\(text)\": \(error.message(expectsDay: false))")
        }
    }

    /// Tells a person how a text was understood, on the standard error stream.
    private static func echo(_ line: String, _ output: OutputFormat?) {
        guard output == .text else { return }
        StandardError.note(TerminalText.safe(line) + "\n")
    }
}
