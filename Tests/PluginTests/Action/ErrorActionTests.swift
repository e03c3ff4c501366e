// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import PersistencePlugin

/// Actions that say that they are errors.
@Suite(.timeLimit(.minutes(10))) struct ErrorActionTests {
    /// Fails, or does not, as it is told; its actions are coded by `Codable`.
    private struct Told: Plugin {
        enum Action: PluginAction {
            case fail(Int), succeed, failed(Int), broke, succeeded

            var isError: Bool {
                switch self {
                case .failed, .broke: true
                case .fail, .succeed, .succeeded: false
                }
            }
        }

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                switch action {
                case .fail(let number): .sequence(.failed(number), .broke)
                case .succeed: .just(.succeeded)
                case .failed, .broke, .succeeded: .doNothing
                }
            }
        }
    }

    @Test func `what a plugin emits is an error when its action says so, with a payload or without`()
        async throws
    {
        let store = try TestStore(Told.self)
        try store.send(.fail(1))
        try await store.receive(wire: ["type": "failed", "payload": 1, "error": true])
        try await store.receive(wire: ["type": "broke", "error": true])
        try store.send(wire: ["type": "succeed", "error": true])
        try await store.receive(wire: ["type": "succeeded"])
        try await store.finish()
    }

    @Test func `an action whose coding is generated says so too`() throws {
        let action = Persistence.Action.failed(
            operation: .save, reason: .locked, message: "m", collection: "c", id: "1", token: nil)
        #expect(action.isError)
        #expect(!Persistence.Action.saved(collection: "c", id: "1").isError)
        #expect(!Persistence.Action.ended(token: nil).isError)
    }

    @Test func `an action of any plugin keeps what it is`() {
        let actions: [any PluginAction] = [AnyAction("a", error: true), AnyAction("a")]
        #expect(actions.map(\.isError) == [true, false])
    }
}
