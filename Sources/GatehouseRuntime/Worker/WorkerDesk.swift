// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What a link needs of its store and its instance for each action, without a look at either of them, which it must not hold.
///
/// Touched in the drain only.
final class WorkerDesk {
    /// The actions that wait.
    let queue: Drain
    /// The action in hand.
    let pass: Pass
    /// Numbers actions for the journal; nil without one.
    let recorder: ActionRecorder?
    /// Has orders sent that wait for others.
    let unsent: UnsentOrders
    /// Tells of actions that do not fit.
    let outlet: InstanceOutput
    /// Keeps what comes to nothing.
    let letters: DeadLetters
    /// Knows what stands for an action until it is done.
    let log: InstanceEffectLog?
    /// Counts that.
    let activity: Activity
    /// The time as the plugin would ask for it, in seconds since 1970; nil where it is not granted.
    let unixTime: (@Sendable () -> Double)?

    /// What an instance has that is connected to a store.
    init(_ store: HostStore, _ instance: Instance, unixTime: (@Sendable () -> Double)?) {
        self.unixTime = unixTime
        queue = store.queue
        pass = store.dependencies.pass
        recorder = store.recorder
        outlet = instance.outlet
        unsent = store.unsent
        letters = store.dependencies.letters
        log = instance.log
        activity = instance.activity
    }
}
