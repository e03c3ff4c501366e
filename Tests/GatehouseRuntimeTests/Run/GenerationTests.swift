// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseRuntime

/// What a generation knows of the actions that come to it.
@Suite(.timeLimit(.minutes(10))) struct GenerationTests {
    /// A host without plugins.
    private func host() throws -> Host { Host(try .empty(), reports: Reporter { Issue.record("\($0)") }) }

    /// The source of an action that an input has brought.
    private let input = ActionSource(file: "orders.ndjson", function: "", line: 3, info: nil)

    @Test func `input that nobody hears is told, also when its text is not known any more`() throws {
        let host = try host()
        #expect("\(host.unheard)" == "no types unheard")
        host.store.dispatch(AnyAction("orders/place"), readFrom: input)
        #expect("\(host.unheard)" == "1 of 1 type unheard: orders/place")
    }

    @Test func `what did not come with the input is not told as input that nobody hears`() throws {
        let host = try host()
        host.store.dispatch(AnyAction("orders/early"), from: .here())
        host.store.dispatch(AnyAction("orders/place"), readFrom: input)
        host.store.dispatch(AnyAction("orders/late"), from: .here())
        #expect("\(host.unheard)" == "1 of 1 type unheard: orders/place")
    }
}

extension Host {
    /// The types of input that nobody hears, so far.
    fileprivate var unheard: UnheardTypes { queue.withExclusiveAccess { generation.unheard } }
}
