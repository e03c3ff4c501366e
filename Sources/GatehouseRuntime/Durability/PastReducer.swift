// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehousePlan
internal import GatehouseSDK
package import GatehouseSupport

/// Runs the reducers of a past generation.
package protocol PastReducer {
    /// Runs the reducers of one generation on recorded actions.
    ///
    /// - Throws: why they cannot run.
    func reduce(_ reduction: PastReduction) throws(PastFailure) -> PastResult
}

/// Recorded actions, and the generation that must reduce them.
package struct PastReduction: Codable {
    /// The folder of the journal.
    package let journal: String
    /// The generation.
    package let record: GenerationRecord
    /// The generation's state before the first of the actions.
    package let state: SavedState
    /// The last action included in that state.
    package let after: UInt64
    /// The last action to reduce.
    package let last: UInt64
    /// Whether to skip damaged actions, with a report; otherwise they are an error.
    package let acceptsLoss: Bool
    /// Whether to leave out an instance that rejects its state, and keep the state; otherwise it is an error.
    package var leavesUnread = false

    /// A stretch of the past.
    package init(
        journal: String, record: GenerationRecord, state: SavedState, after: UInt64, last: UInt64,
        acceptsLoss: Bool, leavesUnread: Bool = false
    ) {
        self.journal = journal
        self.record = record
        self.state = state
        self.after = after
        self.last = last
        self.acceptsLoss = acceptsLoss
        self.leavesUnread = leavesUnread
    }

    /// Returns the same reduction for another plan, which leaves out instances that do not accept their state.
    func replacingPlan(by plan: RecordedPlan) -> PastReduction {
        let record = GenerationRecord(
            epoch: record.epoch, number: record.number, after: record.after, time: record.time, plan: plan,
            change: GenerationChange())
        return PastReduction(
            journal: journal, record: record, state: state, after: after, last: last,
            acceptsLoss: acceptsLoss, leavesUnread: true)
    }
}

/// The result of reducing recorded actions.
package struct PastResult {
    /// The state after the last of them.
    package var state: SavedState
    /// The number of actions.
    var count = 0
    /// Diagnostics for the operator.
    var diagnostics: [Diagnostic] = []
    /// The instances whose reducers ended or blocked the process, and why.
    var fallen: [FallenInstance] = []

    /// The result of reducing so many actions.
    package init(
        state: SavedState, count: Int = 0, diagnostics: [Diagnostic] = [], fallen: [FallenInstance] = []
    ) {
        self.state = state
        self.count = count
        self.diagnostics = diagnostics
        self.fallen = fallen
    }
}

/// An instance whose reducer fails on a past action; its state stays at the action before.
package struct FallenInstance: Codable, Equatable, Sendable {
    /// The id of the instance.
    let id: String
    /// The last action that its reducer has reduced.
    let at: UInt64
    /// What happened to the process at the next one, as the end of "it …".
    let reason: String
}

/// Why a past state cannot be made.
package enum PastFailure: Error, CustomStringConvertible {
    /// All problems of the configuration or its plugins.
    case diagnostics(Diagnostics)
    /// A failure of the journal.
    case journal(JournalFailure)
    /// A sentence about a past state of which nothing is left.
    case forgotten(String)
    /// A generation whose images cannot run here.
    case unrunnable(UnrunnableGeneration)
    /// An instance whose reducer has ended its worker, or did not return there; it can be left out.
    case fallen(FallenInstance)
    /// A sentence about the child that runs the reducers, or the folder for its data.
    case child(String)

    /// The sentences, one per line.
    package var description: String { sentences.joined(separator: "\n  ") }

    /// The problems as sentences.
    package var sentences: [String] {
        switch self {
        case .diagnostics(let diagnostics): diagnostics.all.map(\.description)
        case .journal(let failure): ["\(failure)"]
        case .forgotten(let sentence), .child(let sentence): [sentence]
        case .unrunnable(let generation): ["\(generation)"]
        case .fallen(let one): ["the reducer of \(one.id) \(one.reason), after action \(one.at.grouped)"]
        }
    }
}

/// A generation that has actions to reduce, but cannot run here.
package struct UnrunnableGeneration: Error, Equatable, Sendable, CustomStringConvertible {
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

    /// The problem, its causes, and the two ways out.
    package var description: String {
        "generation \(number) of run \(epoch), which reduced the \(Counted.text(actions, "action")) after action \(after), cannot run here:"
            + lines.map { "\n  - " + $0 }.joined()
            + "\n  start gatehouse \(host) once with this journal, install it beside this host, as Operating.md says under \"Run plugins of another version\", or continue with --reduce-with-present, which lets the current configuration reduce them"
    }
}
