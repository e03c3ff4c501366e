// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// On which terms a store runs: what is recorded of it, who takes its outputs, and who hears of it.
///
/// A store of a host that serves and a private one, which rehearses, tries or looks back, differ in this and in what their instances
/// were made with: the clock, and which effects run.
package struct StoreTerms {
    /// Takes note of what reached the reducers; nil for nobody.
    package var recorder: ActionRecorder?
    /// Takes outputs that are for another store; nil where all are for this one.
    package var elsewhere: (any OutputRoute)?
    /// Takes what goes wrong on the way.
    package var report: @Sendable (HostReport) -> Void
    /// Told about each action before it is processed, in the drain; nil for nobody.
    package var onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    /// Makes spans of actions; nil where nobody wants them.
    package var tracer: ActionTracer?
}

/// Who hears what passes a host besides its instances: who prints, and who watches; called in the drain.
package struct RunHooks {
    /// Told about each action, before the instances; nil while nobody wants to know.
    package var onAction: ((DispatchedAction<AnyAction>) -> Void)?
    /// Told about each action that an instance applies to its own state, under its local name; told to `onAction` before.
    package var onOwnAction: ((AnyAction) -> Void)?
    /// Told after each action that changed the state; nil while nobody wants to know.
    package var onChange: (() -> Void)?
    /// Told about each action that an interceptor stops, on the thread that lets go of it, and in the drain about each that misses closed
    /// gates; nil while nobody wants to know.
    package var onStop: (@Sendable (TurnedAwayAction) -> Void)?

    /// Calls for the moments of a run; none by default.
    package init(
        onAction: ((DispatchedAction<AnyAction>) -> Void)? = nil, onOwnAction: ((AnyAction) -> Void)? = nil,
        onChange: (() -> Void)? = nil
    ) {
        self.onAction = onAction
        self.onOwnAction = onOwnAction
        self.onChange = onChange
    }
}

/// Says which outputs of a host's instances are for another store, and takes them there.
package protocol OutputRoute: AnyObject, Sendable {
    /// Learns whose outputs it takes; called before the instances are started.
    func stand(before store: HostStore)

    /// Takes an output under its global type if it is for another store; false for one that is not. Called in the host's drain.
    func take(_ output: DispatchedAction<AnyAction>) -> Bool
}

extension OutputRoute {
    package func stand(before store: HostStore) {}
}
