// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@testable import GreeterPlugin

@Suite struct GreeterPluginTests {
    @Test func `whoever says hello is greeted`() async throws {
        let store = try TestStore(Greeter.self)
        try store.send(.hello(name: "Ada"))
        try await store.receive(.greeted(text: "Hello, Ada!"))
        try await store.finish()
    }

    @Test func `the greeting is a setting`() async throws {
        let store = try TestStore(Greeter.self, settings: ["greeting": "Good day"])
        try store.send(.hello(name: "Ada"))
        try await store.receive(.greeted(text: "Good day, Ada!"))
        try await store.finish()
    }

    @Test func `a greeting is not answered`() async throws {
        let store = try TestStore(Greeter.self)
        try store.send(.greeted(text: "Hello, Ada!"))
        try await store.finish()
    }

    @Test func `actions read like this in JSON`() async throws {
        let store = try TestStore(Greeter.self)
        try store.send(wire: ["type": "hello", "payload": ["name": "Ada"]])
        try await store.receive(wire: ["type": "greeted", "payload": ["text": "Hello, Ada!"]])
        try await store.finish()
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Greeter.checkManifest(at: "Sources/GreeterPlugin/plugin.json")
    }
}
