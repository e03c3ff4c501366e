// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What a plugin in C reaches of the network, in the host and in a worker.
@Suite(.timeLimit(.minutes(10))) struct ForeignNetworkTests {
    /// A host with the plugin.
    private func host(_ placement: String, granted: [String] = []) throws -> LiveHost {
        let grants = granted.map { "\"\($0)\"" }.joined(separator: ", ")
        let grant = placement == "worker" ? #", "grant": { "network": [\#(grants)] }"# : ""
        return try LiveHost(
            #"""
            { "discovery": "ignore", "plugins": [
                { "id": "web", "library": "libForeignNetwork.so", "placement": "\#(placement)"\#(grant) } ] }
            """#, libraries: ["ForeignNetwork"], ["--print", "actions"])
    }

    /// Ends a host, and returns what it has printed.
    @discardableResult
    private func end(_ host: LiveHost) throws -> ChildProcess.Outcome {
        host.child.signal(SIGTERM)
        return try host.child.finish()
    }

    @Test(arguments: ["host", "worker"])
    func `where nobody listens it is given the system's reason, and a port that is none is refused`(
        placement: String
    ) throws {
        let port = try LocalPort.free()
        let host = try host(placement, granted: ["connect:127.0.0.1:\(port)"])
        host.write(#"{"type":"web/fetch","payload":\#(port)}"#)
        try host.child.waitForOutput(
            #""payload":{"answer":3,"reason":"127.0.0.1:\#(port) cannot be reached: Connection refused"}"#)
        host.write(#"{"type":"web/fetch","payload":0}"#)
        try host.child.waitForOutput(#""payload":{"answer":2,"reason":""}"#)
        try end(host)
    }

    @Test(arguments: ["host", "worker"])
    func `it listens until it stops, and connects by a socket that blocks`(placement: String) throws {
        let port = try LocalPort.free()
        let host = try host(
            placement, granted: ["connect:127.0.0.1:\(port)", "listen:127.0.0.1:\(port)"])
        host.write(#"{"type":"web/serve","payload":\#(port)}"#)
        try host.child.waitForOutput(#""payload":{"answer":0,"reason":""}"#)
        for _ in 0..<3 {
            let client = try LocalConnection(port: port)
            let words = try #require(client.readLine()).split(separator: " ")
            #expect(words.dropLast() == ["welcome", "to"])
            #expect((words.last.map(String.init) == "\(host.child.identifier)") == (placement == "host"))
        }
        host.write(#"{"type":"web/fetch","payload":\#(port)}"#)
        try host.child.waitForOutput(#""payload":"welcome to "#)
        let outcome = try end(host)
        #expect(!outcome.errors.contains("its worker"), "\(outcome.errors)")
        #expect(!LocalPort.isHeld(port))
    }

    @Test func `in a call of the host it may not wait for others`() throws {
        let host = try host("host")
        host.write(#"{"type":"web/fetch-at-once","payload":1}"#)
        try host.child.waitForOutput(#""payload":{"answer":4,"reason":""}"#)
        try end(host)
    }

    @Test func `what is not granted in a worker is refused with the words to add`() throws {
        let host = try host("worker")
        host.write(#"{"type":"web/fetch","payload":7}"#)
        try host.child.waitForOutput(
            #""reason":"the entry of web does not grant connections to 127.0.0.1:7; add 'connect:127.0.0.1:7' to its 'grant'/'network'""#
        )
        host.write(#"{"type":"web/serve","payload":8}"#)
        try host.child.waitForOutput(
            #""reason":"127.0.0.1:8: the entry of web does not let it listen there; add 'listen:127.0.0.1:8' to its 'grant'/'network'""#
        )
        try end(host)
    }
}
