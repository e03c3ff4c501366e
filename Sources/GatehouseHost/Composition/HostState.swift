// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What the host's store owns: the state of the application and the generation that works on it.
///
/// A reference, touched only in the store's drain.
public final class HostState {
    /// Plain values and slices.
    let tree: StateTree
    /// The instances in use.
    let generation: Generation
    /// Shared with the instances.
    let inHand: ActionInHand
    /// How many actions have been processed.
    var actionCount = 0

    /// The state before the first action.
    init(tree: StateTree, generation: Generation, inHand: ActionInHand) {
        self.inHand = inHand
        self.tree = tree
        self.generation = generation
    }
}
