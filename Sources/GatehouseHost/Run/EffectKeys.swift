// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Where instances find a name for what the action in hand starts; settled once the host is there.
final class EffectKeys: Sendable {
    /// What the lock guards.
    private struct State {
        /// Gives the name for an instance; nil before there is a host.
        var name: (@Sendable (String) -> String?)?
        /// The name of an effect that begins after its action's pass; nil for none.
        var held: String?
    }

    /// Who gives names.
    private let state = Mutex(State())

    /// Begins the names of this run, where no journal has one of its own.
    static let run = String(UInt64.random(in: .min ... .max), radix: 36)

    /// Names of nothing.
    init() {}

    /// Sets who gives the names; called by the host before it starts.
    func settle(_ name: @escaping @Sendable (String) -> String?) { state.withLock { $0.name = name } }

    /// The name of what the action in hand starts in an instance; nil where none is in hand.
    func key(for instance: String) -> String? {
        let (held, name) = state.withLock { ($0.held, $0.name) }
        return held ?? name?(instance)
    }

    /// Begins an effect that was held back under the name that it had when its action was in hand; called in the drain.
    func begin(as key: String?, _ body: () -> Void) {
        state.withLock { $0.held = key }
        body()
        state.withLock { $0.held = nil }
    }
}
