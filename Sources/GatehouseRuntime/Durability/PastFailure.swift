// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseSupport

/// Why a past state cannot be made.
package enum PastFailure: Error {
    /// All problems of the configuration or its plugins.
    case diagnostics(Diagnostics)
    /// A failure of the journal.
    case journal(JournalFailure)
    /// A sentence about a past state of which nothing is left.
    case forgotten(String)
    /// A generation whose images cannot run here.
    case unrunnable(UnrunnableGeneration)
    /// A sentence about the child that runs the reducers, or the folder for its data.
    case child(String)
}

/// A generation that has actions to reduce, but cannot run here.
package struct UnrunnableGeneration: Error, Equatable, Sendable {
    /// The number of the generation in its run, and the number of the run.
    let number, epoch: Int
    /// The version of the host that ran it.
    let host: String
    /// The instances that cannot be made, in chain order, each with the reasons.
    let instances: [String: [String]]
    /// The number of actions waiting for it.
    let actions: UInt64
    /// The last action before them.
    let after: UInt64

    /// The instances and their reasons, line by line.
    var lines: [String] {
        instances.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: "; "))" }
    }
}

extension UnrunnableGeneration: CustomStringConvertible {
    /// The problem, its causes, and the two ways out.
    package var description: String {
        "generation \(number) of run \(epoch), which reduced the \(actions) actions after action \(after), cannot run here:"
            + lines.map { "\n  - " + $0 }.joined()
            + "\n  start gatehouse \(host) once with this journal, or continue with --reduce-with-present, which lets the current configuration reduce them"
    }
}

extension PastFailure: CustomStringConvertible {
    /// The sentences, one per line.
    package var description: String { sentences.joined(separator: "\n  ") }

    /// The problems as sentences.
    package var sentences: [String] {
        switch self {
        case .diagnostics(let diagnostics): diagnostics.all.map(\.description)
        case .journal(let failure): ["\(failure)"]
        case .forgotten(let sentence), .child(let sentence): [sentence]
        case .unrunnable(let generation): ["\(generation)"]
        }
    }
}
