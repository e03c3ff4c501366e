// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSupport

/// A request to a child to reduce actions, and where to leave the result.
struct ReductionRequest: ChildMessage {
    /// The actions, and the generation that reduces them.
    let reduction: PastReduction
    /// The instances that are suspended from an action on.
    let fallen: [FallenInstance]
    /// Whether to refuse files that their group may write to.
    let isStrict: Bool
    /// The file of the child's flight recorder.
    let flightRecorder: Int32
    /// The file in which the child leaves the state.
    let result: Int32
}
