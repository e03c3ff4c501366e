// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseLibrary
package import GatehousePlan
package import GatehouseRuntime
package import GatehouseSDK
package import GatehouseSupport

/// Makes past states with the generations that made them; no code of those runs in this process.
///
/// Read-only, even while a host writes the journal. Used from one thread.
package final class PastStateMaker {
    /// The walk over the journal.
    private let walk: PastWalk
    /// The reducers of each part.
    private let reducers: PastWalk.Reducers
    /// The data folder for instances of a present plan; nil without one.
    private let scratch: ScratchFolder?

    /// Opens the journal in a folder.
    ///
    /// - Parameters:
    ///   - isStrict: whether to refuse files that their group may write to.
    ///   - present: returns the plan that reduces parts without a recorded generation, and the cache of its images; called only if
    ///     there is such a part.
    package init(
        journal: String, isStrict: Bool, present: () throws(PastFailure) -> (HostPlan, ImageCache)
    ) throws(PastFailure) {
        walk = try PastFailure.reading(try PastWalk(folder: journal, acceptsLoss: false))
        var reducer: InProcessReducer?
        if try walk.hasUnrecorded() {
            let (plan, images) = try present()
            let folder = try PastFailure.scratchFolder()
            scratch = folder
            reducer = InProcessReducer(
                images: images, dependencies: .past(at: PastClock(), dataDirectory: folder.path), plan: plan)
        } else {
            scratch = nil
        }
        reducers = PastWalk.Reducers(
            recorded: ChildReducer(isStrict: isStrict, patience: Self.patience), present: reducer)
    }

    /// How long a child may go without progress.
    private static let patience = Duration.seconds(30)

    /// Returns the last action; 0 where there is none.
    package func last() throws(PastFailure) -> UInt64 { try walk.last() }

    /// Returns the whole state after an action, before any next generation; after 0, the first one's initial state.
    package func state(behind sequence: UInt64) throws(PastFailure) -> Value {
        try walk.place(behind: sequence, enteringNext: sequence == 0, by: reducers).state.whole
    }

    /// Diagnostics about the walk, for the operator.
    package var diagnostics: [Diagnostic] { walk.diagnostics }
}
