// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// What instances call what the action in hand starts, and how often that has begun; settled once the host is there.
package final class EffectKeys: Sendable {
    /// What an action starts, or has started before.
    package struct Name: Sendable {
        /// The name; nil for none.
        package let key: String?
        /// How often the action has been shown in different processes, from 1.
        package var attempt: UInt32 = 1

        /// The name of an effect, from which its key is made.
        package init(key: String?, attempt: UInt32 = 1) {
            self.key = key
            self.attempt = attempt
        }
    }

    /// What the lock guards.
    private struct State {
        /// Gives the name for an instance; nil before there is a host.
        var name: (@Sendable (String) -> String?)?
        /// What begins outside of its action's pass; nil for nothing.
        var held: Name?
    }

    /// Who gives names.
    private let state = Mutex(State())

    /// Begins the names of this run, where no journal has one of its own.
    static let run = String(UInt64.random(in: .min ... .max), radix: 36)

    /// What the effects of an action are called that an instance starts, in a host without a journal.
    ///
    /// The recorder of a worker, to which each action is an input then, calls them the same.
    static func key(of number: UInt64, for instance: String) -> String {
        ChainOrigin(input: number).key(of: run, for: instance)
    }

    /// Names of nothing.
    package init() {}

    /// Sets who gives the names; called by the host before it starts.
    package func settle(_ name: @escaping @Sendable (String) -> String?) { state.withLock { $0.name = name } }

    /// The name of what the action in hand starts in an instance; nil where none is in hand.
    package func key(for instance: String) -> String? { name(for: instance).key }

    /// The same, and how often that has begun.
    package func name(for instance: String) -> Name {
        let (held, name) = state.withLock { ($0.held, $0.name) }
        return held ?? Name(key: name?(instance))
    }

    /// How often the action in hand has been shown, from 1.
    package var attempt: Int { Int(state.withLock { $0.held?.attempt } ?? 1) }

    /// Begins something under the name that it had when its action was in hand; called in the drain.
    package func begin(as name: Name, _ body: () -> Void) {
        let before = state.withLock { state in
            defer { state.held = name }
            return state.held
        }
        body()
        state.withLock { $0.held = before }
    }
}
