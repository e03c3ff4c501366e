// SPDX-License-Identifier: Apache-2.0

/// What the host and its instances have done so far.
public struct HostCounts: Equatable, Sendable {
    /// Actions processed, those that instances emitted included.
    public let actions: Int
    /// Outputs that closed gates dropped.
    public let droppedOutputs: Int
    /// Outputs that instances may not emit, and actions that their interceptors may not change to what they did.
    public let refusedOutputs: Int
    /// Actions that interceptors stopped, or have not let pass yet.
    public let stoppedActions: Int

    /// Reads the counts of a host; called in the drain.
    init(_ state: HostState) {
        actions = state.actionCount
        droppedOutputs = state.generation.instances.reduce(0) { $0 + $1.droppedOutputs }
        refusedOutputs = state.generation.instances.reduce(0) { $0 + $1.output.refused }
        stoppedActions = state.generation.instances.reduce(0) { $0 + $1.stoppedActions }
    }
}
