// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Tells those who watch which instances an action did not reach because of their gates: of each action once, with all of them.
///
/// There is one only while somebody watches. An action is told of when the next one misses a gate, or soon after it is processed.
///
/// `@unchecked Sendable`: used in the drain only, apart from constants; what it leaves there runs there.
final class GateMisses: @unchecked Sendable {
    /// An action that has missed a gate.
    private struct Miss {
        /// What the queue knew it by.
        let mark: UInt64
        /// The action, under its global type.
        let action: AnyAction
        /// Where it came from.
        let source: ActionSource
        /// The instances whose gates were closed, in chain order.
        var instances: [String]
    }

    /// Gives what is left to tell its turn.
    private let queue: DrainQueue<Generation>
    /// Told about each action.
    private let tell: @Sendable (TurnedAwayAction) -> Void
    /// The action that others may miss as well; nil where all are told of.
    private var miss: Miss?
    /// Whether a turn is coming that tells of it.
    private var isEnding = false

    /// Nothing has missed a gate yet.
    init(in queue: DrainQueue<Generation>, tell: @escaping @Sendable (TurnedAwayAction) -> Void) {
        (self.queue, self.tell) = (queue, tell)
    }

    /// Takes note that an instance does not hear the action in hand.
    func note(_ action: AnyAction, from source: ActionSource, at instance: String) {
        if miss?.mark == queue.mark {
            miss?.instances.append(instance)
            return
        }
        end()
        miss = Miss(mark: queue.mark, action: action, source: source, instances: [instance])
        guard !isEnding else { return }
        isEnding = true
        queue.enqueue { [self] in
            isEnding = false
            end()
        }
    }

    /// Tells of the last action, if that is left to do.
    func end() {
        guard let miss = miss.take() else { return }
        tell(TurnedAwayAction(gated: miss.action, from: miss.source, at: miss.instances))
    }
}
