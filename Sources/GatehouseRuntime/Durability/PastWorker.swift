// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// Runs the reducers of a past generation.
package protocol PastWorker {
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
