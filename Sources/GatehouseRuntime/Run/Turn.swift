// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseSDK

/// A turn between two actions: what others may ask of the running instances, and do to them.
///
/// Valid in the drain until the turn ends: the instances that run may be others later. Whoever controls, reloads, replays or
/// partitions a store has turns, and nothing else of its chain.
package struct Turn {
    /// What runs during the turn.
    let generation: Generation

    // MARK: - What there is

    /// The number of the generation; the first of a host is 1.
    package var number: Int { generation.number }
    /// The instances, in chain order.
    package var instances: [Instance] { generation.instances }
    /// The links of the chain, in order.
    package var links: [ChainLink] { generation.links }
    /// The state of the application.
    package var state: StateTree { generation.state.state }
    /// The number of actions processed in this run.
    package var actions: Int { generation.progress.actions }
    /// The number of the last action: that of the journal, or without one the count of this run.
    package var lastSequence: UInt64 { generation.lastSequence }
    /// The action types that have routes.
    package var types: [ActionType] { generation.routes.types }
    /// Whether nothing waits to be processed.
    package var isAtRest: Bool { generation.queue.waiting == 0 }
    /// The effects that have not ended, in chain order.
    package var unfinished: [UnfinishedWork] { generation.unfinished }

    /// Copies the state of the instances that are wanted, and the rest of the state, for little; nothing is encoded yet.
    package func copy(where isWanted: (Instance) -> Bool = { _ in true }) -> CopiedState {
        CopiedState(
            of: generation, configured: generation.store.configuration.state, where: isWanted)
    }

    /// Returns the ids of the instances that hear actions of a type, in chain order, also by their gates alone; nil for a type that
    /// the host handles.
    package func listeners(of type: ActionType) -> [String]? { generation.listeners(of: type) }

    /// Returns the digest of a quarantined library by the id of an instance or a plugin, or by the digest or its beginning.
    package func quarantined(_ name: String) -> String? { generation.quarantined(name) }

    // MARK: - From start to end

    /// Starts the instances, and runs what they emit before the first action.
    package func start() { generation.start() }

    /// Starts the instances, and drops what they emit: it is in the past.
    package func startSilently() { generation.startSilently() }

    /// Gives effects of an earlier run to the instances that take over, and begins them, see `Generation.inherit(_:of:skipping:)`.
    package func resume(_ effects: [JournalEffect]) {
        generation.inherit(effects)
        generation.beginUnfinished()
    }

    /// Lets the instances finish: cancels effects that are not finishing, and runs what the instances want done at the end.
    package func stop() { generation.stop() }

    /// Lets some of the instances finish in the same way.
    package func stop(_ some: [Instance]) { generation.stop(some) }

    /// Cancels every running effect.
    package func cancelEffects() { generation.cancelEffects() }

    /// Releases all instances, as a reload that removes them does; later outputs are dropped and counted.
    package func releaseAll() {
        let store = generation.store
        store.run(Generation([], number: number + 1, in: store), lettingGo: instances)
    }

    // MARK: - Actions

    /// Tells of the next action, with true before the answer of an instance to it runs and with false afterwards.
    ///
    /// While the host takes an output, the answer does not run. Most of a plugin's own code is in its answers.
    package func watchNext(_ watch: @escaping (Bool) -> Void) {
        generation.pass.watch(generation.progress.actions + 1, watch)
    }

    /// Sets the source of the lines of input that follow.
    package func isReading(_ source: ActionSource) { generation.isReading(source) }

    /// Processes an action of the past; its consequences wait in the queue.
    package func processPast(_ dispatched: DispatchedAction<AnyAction>) { generation.processPast(dispatched) }

    /// Applies the reducers to an action of the past once more; nothing is emitted.
    package func replay(_ replayed: ReplayedAction) { generation.replay(replayed) }
}
