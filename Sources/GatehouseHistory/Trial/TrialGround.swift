// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSupport

/// Where both sides of a trial begin: the state after an action of the past, and what leads there.
final class TrialGround {
    /// The place.
    let place: PastWalk.Place
    /// The walk that led there.
    let walk: PastWalk
    /// The reducers that it used.
    let reducers: PastWalk.Reducers
    /// The data folder of the instances that reduced; goes with this object.
    private let folder: ScratchFolder

    /// Goes to a place.
    ///
    /// - Parameters:
    ///   - sequence: the last action that the state includes.
    ///   - plan: reduces what no generation is recorded for.
    init(
        behind sequence: UInt64, journal: String, plan: HostPlan, images: ImageCache
    ) throws(PastFailure) {
        walk = try PastFailure.reading(try PastWalk(folder: journal, acceptsLoss: false))
        folder = try PastFailure.scratchFolder()
        let reducer = InProcessReducer(
            images: images, dependencies: .past(at: PastClock(), dataDirectory: folder.path))
        var present = reducer
        present.plan = plan
        reducers = PastWalk.Reducers(recorded: reducer, present: present)
        place = try walk.place(behind: sequence, enteringNext: true, by: reducers)
    }
}
