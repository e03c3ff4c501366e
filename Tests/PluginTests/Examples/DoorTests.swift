// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// A plugin that brings lines, before a host of the test's own.
@Suite(.timeLimit(.minutes(10))) struct DoorTests {
    @Test func `what became of lines is told to who brought them`() async throws {
        let ingress = HostIngress { delivery throws(HostIngress.Failure) in
            guard case .lines(let lines, _) = delivery, lines == Array("{}\n?".utf8) else { throw .ended }
            var receipt = HostIngress.Receipt()
            (receipt.lines, receipt.accepted, receipt.refused) = (2, 1, 1)
            return receipt
        }
        let store = try TestStore(Door.self, services: TestServices(ingress: ingress))
        try store.send(.bring("{}\n?"))
        try await store.receive(.brought(accepted: 1, refused: 1))
        try store.send(.bring("{}"))
        try await store.receive(.failed(reason: "ended"))
        try await store.finish()
    }
}
