// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseLibrary
package import GatehousePlan
package import GatehouseRuntime
package import GatehouseSDK

/// The state that a plan makes of a stretch of which only the inputs are known.
///
/// Its middlewares hear these, and what they emit follows; effects do not run, and what they once emitted is missing.
package struct RebuiltState {
    /// The whole state.
    package let state: Value
    /// How many effects would have begun.
    package let effects: Int

    /// Lets a plan process a stretch to its end.
    ///
    /// - Parameter route: takes the outputs that leave the store; nil where none do.
    package init(
        of plan: HostPlan, from stretch: ToldStretch, images: ImageCache,
        leavingBy route: (any OutputRoute)? = nil
    ) throws(PastFailure) {
        let ground = try TrialGround(
            behind: stretch.start, journal: stretch.journal, plan: plan, images: images)
        let host = try TriedHost(plan, at: ground.place, images: images, leavingBy: route)
        let steps = PastSteps(
            HistoryCursor(ground.walk.reader, from: stretch.start + 1, to: .max, skipsOrphans: false))
        var last = stretch.start
        var log = ConsequenceLog()
        var count = 0
        while let step = try PastFailure.reading(try steps.next()) {
            host.dispatch(step)
            last = max(last, step.last)
            count += 1
            // What is logged is not looked at, and would grow with the stretch.
            if count.isMultiple(of: 1_024) { host.swapLog(&log) }
        }
        state = try host.state(after: last)
        effects = host.host.queue.activity.stubbed
    }
}
