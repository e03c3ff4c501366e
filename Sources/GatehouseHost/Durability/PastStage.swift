// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Runs the reducers of a past generation.
protocol PastStage {
    /// Runs the reducers of one generation on recorded actions.
    ///
    /// - Throws: why they cannot run.
    func reduce(_ job: PastJob) throws(PastFailure) -> PastResult
}

/// Recorded actions, and the generation that must reduce them.
struct PastJob {
    /// The folder of the journal.
    let journal: String
    /// The generation.
    let record: GenerationRecord
    /// The generation's state before the first of the actions.
    let state: SavedState
    /// The last action included in that state.
    let after: UInt64
    /// The last action to reduce.
    let last: UInt64
    /// Whether to skip damaged actions, with a report; otherwise they are an error.
    let acceptsLoss: Bool
    /// Whether to leave out an instance that rejects its state, and keep the state; otherwise it is an error.
    var leavesUnread = false

    /// Returns the same job for another plan, which leaves out instances that do not accept their state.
    func replacingPlan(by plan: RecordedPlan) -> PastJob {
        let record = GenerationRecord(
            epoch: record.epoch, number: record.number, after: record.after, time: record.time, plan: plan,
            change: GenerationChange())
        return PastJob(
            journal: journal, record: record, state: state, after: after, last: last,
            acceptsLoss: acceptsLoss, leavesUnread: true)
    }
}

/// The result of reducing recorded actions.
struct PastResult {
    /// The state after the last of them.
    var state: SavedState
    /// The number of actions.
    var count = 0
    /// Findings for the operator.
    var findings: [Finding] = []
    /// The instances whose reducers ended or blocked the process, and why.
    var fallen: [FallenInstance] = []
}

/// An instance whose reducer fails on a past action; its state stays at the action before.
struct FallenInstance: Equatable, Sendable {
    /// The id of the instance.
    let id: String
    /// The last action that its reducer has reduced.
    let at: UInt64
    /// What happened to the process at the next one, as the end of "it …".
    let reason: String
}
