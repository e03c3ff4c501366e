// SPDX-License-Identifier: Apache-2.0

/// What came to nothing in instances.
package struct Losses: Equatable, Sendable {
    /// Outputs that their gates dropped.
    private(set) var droppedOutputs = 0
    /// Outputs that they may not emit, and actions that their interceptors may not change to what they did.
    private(set) var refusedOutputs = 0
    /// Actions that their interceptors stopped, or have not let pass yet.
    private(set) var stoppedActions = 0
    /// Outputs that came when they had gone, and went nowhere.
    package var lateOutputs = 0
    /// Actions that they said they had not done, by the id of the instance; at least one each.
    private(set) var failures: [String: Int] = [:]

    /// Adds what an instance has counted.
    mutating func add(_ instance: Instance) {
        droppedOutputs += instance.droppedOutputs
        refusedOutputs += instance.refusedOutputs
        stoppedActions += instance.stoppedActions
        if instance.failures > 0 { failures[instance.id, default: 0] += instance.failures }
    }

    /// Adds what was counted in another store.
    mutating func add(_ other: Losses) {
        droppedOutputs += other.droppedOutputs
        refusedOutputs += other.refusedOutputs
        stoppedActions += other.stoppedActions
        lateOutputs += other.lateOutputs
        failures.merge(other.failures, uniquingKeysWith: +)
    }
}
