// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseRuntime
package import GatehouseSupport

/// Why the lines of an input are no stretch of the past that can be looked at.
package enum ToldStretchFailure: Error, CustomStringConvertible {
    /// The input cannot be opened; the system's error number.
    case opening(input: String, code: Int32)
    /// The input is a folder, or the file of a journal.
    case other(input: String, found: String)
    /// The input cannot be read to its end.
    case reading(IngressError)
    /// Somebody asked for the end meanwhile.
    case interrupted(input: String)
    /// The input has no line with an action.
    case empty(input: String)
    /// Lines are wrong: a sentence for each of the first, with its place, and how many more there are.
    case lines([String], more: Int)
    /// There is no place for the journal of the lines.
    case folder(ChildFailure)
    /// The journal of the lines cannot be written.
    case journal(JournalFailure)

    /// Whether the input has been read, and what it says is at fault.
    package var isBadData: Bool {
        switch self {
        case .empty, .lines: true
        case .opening, .other, .reading, .interrupted, .folder, .journal: false
        }
    }

    /// What is wrong, a sentence each.
    package var sentences: [String] {
        guard case .lines(let sentences, let more) = self else { return [description] }
        return sentences
            + (more > 0 ? ["\(Counted.text(more, "more line")) of the input cannot be replayed"] : [])
    }

    /// What is wrong in one text.
    package var description: String {
        switch self {
        case .opening(let input, let code):
            "\(input): cannot be opened: \(SystemReason.text(of: code)); give a file of lines, or - for standard input"
        case .other(let input, let found):
            "\(input): expected a file of lines, found \(found); name the folder of a journal with --journal"
        case .reading(let failure): "\(failure)"
        case .interrupted(let input): "\(input): the reading was interrupted, and nothing is replayed"
        case .empty(let input):
            "\(input): expected actions, one a line, found none; gatehouse history --json prints such lines"
        case .lines: sentences.joined(separator: "\n")
        case .folder(let failure): "\(failure)"
        case .journal(let failure): "\(failure)"
        }
    }
}
