// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Glibc
import Testing

@testable import Forwarder

@Suite struct ForwarderTests {
    /// A path that nothing else uses, and nothing at it.
    private let path = "/tmp/forwarder-\(UInt64.random(in: 0 ... .max))"

    @Test func `it tries again until the pipe is there and read`() async throws {
        let store = try TestStore(Forwarder.self, settings: ["path": .string(path)])
        try store.send(.forward(text: "hello"))
        store.advance(by: .seconds(1))
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
        defer { unsafe unlink(path) }
        store.advance(by: .seconds(2))
        try await store.receive(.forwarded(text: "hello", attempts: 3))
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(unsafe String(decoding: bytes[..<read(reader, &bytes, 10)], as: UTF8.self) == "hello\n")
        try await store.finish()
    }

    @Test func `after the last attempt it tells why not`() async throws {
        let store = try TestStore(Forwarder.self, settings: ["path": .string(path), "attempts": 2])
        try store.send(.forward(text: "hello"))
        store.advance(by: .seconds(1))
        try await store.receive(.failed(text: "hello", reason: "\(path): No such file or directory"))
        #expect(store.log == ["warning: \(path): No such file or directory; trying again in 1.0 seconds"])
        try await store.finish()
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Forwarder.checkManifest(at: "Sources/Forwarder/plugin.json")
    }
}
