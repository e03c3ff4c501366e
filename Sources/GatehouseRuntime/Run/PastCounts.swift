// SPDX-License-Identifier: Apache-2.0

/// What instances had counted that reloads have taken away: a run tells of all that happened in it.
package struct PastCounts {
    /// Outputs that their gates dropped.
    private(set) var droppedOutputs = 0
    /// Outputs that they might not emit.
    private(set) var refusedOutputs = 0
    /// Actions that their interceptors stopped.
    private(set) var stoppedActions = 0
    /// Actions that they said they had not done, by the id of the instance.
    private(set) var failures: [String: Int] = [:]

    /// Takes over what an instance has counted; called once for each that goes.
    mutating func add(_ instance: Instance) {
        droppedOutputs += instance.droppedOutputs
        refusedOutputs += instance.refusedOutputs
        stoppedActions += instance.stoppedActions
        if instance.failures > 0 { failures[instance.id, default: 0] += instance.failures }
    }
}
