// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// The examples in the doc comments of the contract's central types, run.
@Suite(.timeLimit(.minutes(10)))
struct ContractTypesTests {
    /// Warns of readings above a limit.
    enum Meter: Plugin {
        enum Action: PluginAction { case reading(Double), high(by: Double) }

        struct Settings: PluginSettings {
            var limit = 30.0
            var quiet: [ActionTypePattern] = []
        }

        static func middleware() -> Reader {
            .onAction { action, _, context in
                guard case .reading(let degrees) = action else { return .doNothing }
                context.gauge("degrees", degrees)
                let offset = context.state?(JSONPointer(tokens: ["stove", "offset"]))?.doubleValue ?? 0
                let excess = degrees - offset - context.settings.limit
                guard excess > 0 else { return .doNothing }
                context.health(.failing("\(degrees) degrees"))
                context.log(.warning, "too hot by \(excess)")
                return .just(.high(by: excess))
            }
        }
    }

    @Test func `a plugin has settings, a status and the host's state`() async throws {
        let status = PluginStatus()
        let house: Value = ["stove": ["offset": 2.5]]
        let store = try TestStore(
            Meter.self, settings: ["limit": 20],
            services: TestServices(state: HostStateReader { house[$0] }, status: status))
        try store.send(.reading(25))
        try await store.receive(.high(by: 2.5))
        #expect(status.health == .failing("25.0 degrees"))
        try await store.finish()
    }

    @Test func `a value is written as JSON, and read by pointers`() throws {
        let order: Value = ["id": 7, "lines": [["sku": "A-1", "count": 2]]]
        let count = try JSONPointer("/lines/0/count")
        #expect(order[count] == 2)
        #expect(order.json() == #"{"id":7,"lines":[{"sku":"A-1","count":2}]}"#)
    }

    @Test func `an action without a Swift type has a name and a payload`() {
        let paid: ActionType = "shop/paid"
        let action = AnyAction(paid, payload: ["order": 7], meta: ["by": "till-2"])
        #expect(action.renamed("till/paid").payload?["order"] == 7)
    }

    @Test func `a pattern matches a type, or all that begin like it`() throws {
        let pattern = try #require(ActionTypePattern("shop/*"))
        #expect(pattern.matches("shop/paid") && !pattern.matches("till/paid"))
    }
}
