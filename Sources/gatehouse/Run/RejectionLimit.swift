// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSupport

/// How many lines may be turned away before a run counts as failed.
enum RejectionLimit: Equatable {
    /// At most this many; one more ends the run.
    case lines(Int)
    /// At most this many of a hundred nonblank lines; checked when the input has ended.
    case percent(Double)

    /// Parses `100` or `2.5%`; nil for anything else.
    init?(_ text: String) {
        if text.last == "%" {
            guard let number = Double(text.dropLast()), (0...100).contains(number) else { return nil }
            self = .percent(number)
        } else {
            guard let number = Int(text), number >= 0 else { return nil }
            self = .lines(number)
        }
    }

    /// The problem with the input as a whole; nil when there is none.
    ///
    /// Input without a single acceptable line is wrong whatever the limit: most likely it does not contain actions.
    static func objection(to summary: Host.Summary, limit: RejectionLimit?) -> String? {
        let (turnedAway, lines) = (summary.turnedAway, summary.lines - summary.blank)
        guard turnedAway > 0 else { return nil }
        let found = "\(turnedAway) of \(Counted.text(lines, "line")) rejected or refused"
        switch limit {
        case .lines(let most) where turnedAway > most:
            return "stopped with \(found), --max-rejected allows \(most)"
        case .percent(let most) where Double(turnedAway) * 100 > most * Double(lines):
            return "\(found), --max-rejected allows \(most == most.rounded() ? "\(Int(most))" : "\(most)")%"
        default:
            return turnedAway == lines
                ? "no line was taken: \(found); give actions, or JSON of another form with --wrap" : nil
        }
    }
}
