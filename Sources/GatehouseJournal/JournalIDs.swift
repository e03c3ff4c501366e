// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Synchronization

/// What writers have called their inputs lately, so that each is taken once. Callable from any thread.
///
/// Whoever takes an input asks before it gives the input a number. Names are in the file with their inputs, in the same
/// transaction, so an input that was lost before its commit is taken when its writer sends it again after a restart.
package final class JournalIDs: Sendable {
    /// What the lock guards.
    private struct State {
        /// The names that have been there.
        var names: Set<String> = []
        /// The names with the times at which they came, oldest first, after those that have gone.
        var order: [(name: String, time: Double)] = []
        /// How many at the beginning of `order` have gone.
        var gone = 0
    }

    /// How long a name is known, in seconds; 0 for not at all.
    private let window: Double
    /// The time in seconds since 1970.
    private let clock: @Sendable () -> Double
    /// What is known.
    private let state: Mutex<State>

    /// Names that have been there, oldest first, and those to come.
    package init(
        _ known: [(name: String, time: Double)] = [], window: Double, clock: @escaping @Sendable () -> Double
    ) {
        self.window = window
        self.clock = clock
        state = Mutex(State(names: Set(known.map(\.name)), order: known))
    }

    /// The checksum of a name as it is kept with its input.
    static func checksum(of name: String, input: UInt64, time: Double) -> Int64 {
        var bytes = Array(name.utf8)
        bytes.append(littleEndian: input)
        bytes.append(littleEndian: time.bitPattern)
        return Int64(Checksum.of(bytes))
    }

    /// Whether names are looked at.
    package var isAsked: Bool { window > 0 }

    /// How many names are known.
    package var count: Int { state.withLock { $0.names.count } }

    /// Takes note of a name; false for one that has been there within the window.
    package func insert(_ name: String) -> Bool {
        guard isAsked else { return true }
        let now = clock()
        return state.withLock { state in
            while state.gone < state.order.count, state.order[state.gone].time <= now - window {
                state.names.remove(state.order[state.gone].name)
                state.gone += 1
            }
            if state.gone > 1_024, state.gone * 2 > state.order.count {
                state.order.removeFirst(state.gone)
                state.gone = 0
            }
            guard state.names.insert(name).inserted else { return false }
            state.order.append((name, now))
            return true
        }
    }
}
