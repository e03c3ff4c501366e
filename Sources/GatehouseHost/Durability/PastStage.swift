// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Where the reducers of a generation of the past run.
protocol PastStage {
    /// Lets the reducers of one generation go over recorded actions.
    ///
    /// - Throws: why they cannot.
    func reduce(_ job: PastJob) throws(PastFailure) -> PastResult
}

/// Recorded actions and the generation that is to reduce them.
struct PastJob {
    /// The folder of the journal.
    let journal: String
    /// The generation.
    let record: GenerationRecord
    /// The state that it had before the first of them.
    let state: SavedState
    /// The last action that is in that state.
    let after: UInt64
    /// The last of them.
    let last: UInt64
    /// Whether damaged actions are left out, which is told; otherwise they are an error.
    let acceptsLoss: Bool
    /// Whether an instance that does not take its state is left out, and the state kept; otherwise that is an error.
    var leavesUnread = false

    /// The same for another plan, which leaves out what does not take its state.
    func replacingPlan(by plan: RecordedPlan) -> PastJob {
        let record = GenerationRecord(
            epoch: record.epoch, number: record.number, after: record.after, time: record.time, plan: plan,
            change: GenerationChange())
        return PastJob(
            journal: journal, record: record, state: state, after: after, last: last,
            acceptsLoss: acceptsLoss, leavesUnread: true)
    }
}

/// What came of recorded actions.
struct PastResult {
    /// The state behind the last of them.
    var state: SavedState
    /// How many there were.
    var count = 0
    /// What an operator should know.
    var findings: [Finding] = []
    /// The instances whose reducers ended or held up the process, and why.
    var fallen: [FallenInstance] = []
}

/// An instance whose reducer cannot go over an action of the past; its state stands at the action before.
struct FallenInstance: Equatable, Sendable {
    /// The id of the instance.
    let id: String
    /// The last action that its reducer has gone over.
    let at: UInt64
    /// What became of the process at the next one, as the end of "it …".
    let reason: String
}
