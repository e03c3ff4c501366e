// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import GreeterPlugin

/// Runs the plugin through the contract, as the host does: exports, parts, a middleware with its services.
@Suite struct GreeterPluginTests {
    /// What the plugin answers to one action, as Flux Standard Actions.
    private func answers(to action: AnyAction, settings: Value = [:]) throws -> [Value] {
        let parts = try PluginEntry.exports(of: Greeter.self).makeParts(settings: settings) { misfit in
            Issue.record("\(misfit)")
        }
        let services = HostServices(
            instance: "greeter", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil)
        let middleware = try #require(parts.readers.first).inject(services)

        let outputs = Mutex<[AnyAction]>([])
        withExtendedLifetime(middleware) {
            middleware.handle(action: action, from: .here(), state: GetState { parts.slice })
                .run { output in outputs.withLock { $0.append(output.action) } }
        }
        return try outputs.withLock { $0 }.map { try $0.wireForm() }
    }

    @Test func `whoever says hello is greeted`() throws {
        #expect(
            try answers(to: AnyAction("hello", payload: ["name": "Ada"]))
                == [["type": "greeted", "payload": ["text": "Hello, Ada!"]]])
    }

    @Test func `the greeting is a setting`() throws {
        #expect(
            try answers(to: AnyAction("hello", payload: ["name": "Ada"]), settings: ["greeting": "Good day"])
                == [["type": "greeted", "payload": ["text": "Good day, Ada!"]]])
    }

    @Test func `a greeting is not answered`() throws {
        #expect(try answers(to: AnyAction("greeted", payload: ["text": "Hello, Ada!"])) == [])
    }

    @Test func `the manifest names cases of the enum`() {
        #expect(PluginEntry.exports(of: Greeter.self).unknownNames(in: ["hello", "greeted"]) == [])
    }
}
