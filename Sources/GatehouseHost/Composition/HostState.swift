// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What the host's store owns: the state of the application and the generation that works on it.
///
/// A reference, touched only in the store's drain.
public final class HostState {
    /// Plain values and slices.
    let tree: StateTree
    /// The instances in use; none once the host is going.
    private(set) var generation: Generation
    /// Shared with the instances.
    let window: StateWindow
    /// How many actions have been processed.
    var actionCount = 0

    /// The state before the first action.
    init(tree: StateTree, generation: Generation, window: StateWindow) {
        self.window = window
        self.tree = tree
        self.generation = generation
    }

    /// Cancels every running effect and lets go of the instances; called in the drain when the host goes.
    ///
    /// Instances keep the store's output, which keeps the store, which keeps this.
    func retire() {
        generation.cancelEffects()
        window.close()
        let retired = generation
        generation = Generation(instances: [])
        // Goes once this no longer refers to it: what it holds may come back here when it goes.
        withExtendedLifetime(retired) {}
    }
}
