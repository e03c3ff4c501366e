// SPDX-License-Identifier: Apache-2.0

public import GatehouseSupport

/// Why the state behind an action of the past cannot be made.
public enum PastFailure: Error {
    /// The configuration or its plugins; all of it.
    case findings(Findings)
    /// The journal.
    case journal(JournalFailure)
    /// The state of then, of which nothing is left; a sentence.
    case forgotten(String)
    /// A generation whose images cannot run here.
    case unrunnable(UnrunnableGeneration)
    /// The child that runs the reducers, or the folder for its data; a sentence.
    case child(String)
}

/// A generation whose actions wait to be reduced, and that cannot run here.
public struct UnrunnableGeneration: Error, Equatable, Sendable {
    /// The number of the generation in its run, and of the run.
    public let number, epoch: Int
    /// The version of the host that ran it.
    public let host: String
    /// The instances that cannot be made, in chain order, each with the reasons.
    public let instances: [String: [String]]
    /// How many actions wait for it.
    public let actions: UInt64
    /// The last action before them.
    public let after: UInt64

    /// The instances and their reasons, line by line.
    var lines: [String] {
        instances.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: "; "))" }
    }
}

extension UnrunnableGeneration: CustomStringConvertible {
    /// What cannot be done, why, and the two ways out.
    public var description: String {
        "generation \(number) of run \(epoch), which reduced the \(actions) actions after action \(after), cannot run here:"
            + lines.map { "\n  - " + $0 }.joined()
            + "\n  start gatehouse \(host) once with this journal, or go on with --reduce-with-present, which lets the present configuration reduce them"
    }
}

extension PastFailure: CustomStringConvertible {
    /// The sentences, one below the other.
    public var description: String { sentences.joined(separator: "\n  ") }

    /// What is wrong, in sentences.
    public var sentences: [String] {
        switch self {
        case .findings(let findings): findings.all.map(\.description)
        case .journal(let failure): ["\(failure)"]
        case .forgotten(let sentence), .child(let sentence): [sentence]
        case .unrunnable(let generation): ["\(generation)"]
        }
    }
}
