// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Synchronization

@testable import LoggerPlugin

/// A logger that is granted the state of a host, which changes between the two looks that it takes at an action.
struct LoggedHost {
    /// Runs the logger; only lines of level `info` and above are kept.
    let store: TestStore<AnyAction, NoState>
    /// The state of the host.
    private let state = HostState()

    /// A host whose state is an empty object.
    init(settings: Value = [:]) throws {
        let reader = HostStateReader { [state] pointer in state.read(pointer) }
        store = try TestStore(
            Logger.self, settings: settings, services: TestServices(state: reader, minimum: .info))
    }

    /// Sends `state/set`, which makes its payload the state of the host.
    func set(_ value: Value, error: Bool = false, info: String? = nil) throws {
        state.become(value)
        try store.send(AnyAction("state/set", payload: value, error: error), from: .input(info: info))
    }

    /// How often the logger has read the state.
    var reads: Int { state.reads }

    /// What a host would keep.
    private final class HostState: Sendable {
        /// What is guarded by the lock.
        private struct Content {
            /// The state that the run left.
            var value: Value = [:]
            /// What the reducers will make of it after the next look; nil for the same.
            var coming: Value?
            /// How often it was read.
            var reads = 0
        }

        private let content = Mutex(Content())

        /// Looks at a place; afterwards the reducers have their turn.
        func read(_ pointer: JSONPointer) -> Value? {
            content.withLock { content in
                defer { if let coming = content.coming.take() { content.value = coming } }
                content.reads += 1
                return content.value[pointer]
            }
        }

        /// Makes this the state after the next look.
        func become(_ value: Value) { content.withLock { $0.coming = value } }

        /// How often it was read.
        var reads: Int { content.withLock { $0.reads } }
    }
}
