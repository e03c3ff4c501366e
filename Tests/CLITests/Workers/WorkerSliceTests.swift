// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What a host says of slices that workers keep.
@Suite(.timeLimit(.minutes(10))) struct WorkerSliceTests {
    /// A host with a counter in a worker that may be silent for any time, and one in the host.
    private func host(placement: String = "worker") throws -> LiveHost {
        try LiveHost(
            configuration(placement: placement), libraries: ["CounterPlugin"],
            ["--control", "--print", "state"])
    }

    /// The configuration of that.
    private func configuration(placement: String) -> String {
        """
        { "name": "shop", "supervise": { "hang": 0 }, "state": { "plain": 1 }, "plugins": [
            { "id": "eu", "library": "libCounterPlugin.so", "placement": "\(placement)", "lift": { "state": "/orders/eu" } },
            { "id": "us", "library": "libCounterPlugin.so", "lift": { "state": "/orders/us" } }
          ] }
        """
    }

    /// Waits until the worker has answered all that it was given.
    private func settle(_ host: LiveHost) throws {
        var status: Value = [:]
        repeat {
            try host.settle()
            status = try JSONText.parse(try host.ctl("status", "--json").output)["instances"]?[0] ?? [:]
        } while status["worker"]?["waiting"] != 0
    }

    /// What a client of the socket is answered for a place of the state.
    private func slices(_ host: LiveHost, at pointer: String) throws -> Value? {
        let client = try LocalConnection(host.scene.folder("gatehouse/shop.sock"))
        client.write(
            #"{"jsonrpc":"2.0","id":1,"method":"state","params":{"pointer":"\#(pointer)"}}"# + "\n")
        return try JSONText.parse(try #require(client.readLine()))["result"]?["slices"]
    }

    @Test func `the state is told with the action at which the slices of workers stand`() throws {
        let host = try host()
        host.send("eu/increment", "us/increment", "eu/increment")
        try settle(host)
        let idle = try host.ctl("state", "/orders/eu/count")
        #expect(idle.output == "2\n")
        #expect(idle.errors == "gatehouse: the slice of eu stands at action 3\n")
        let worker = try #require(WorkerProcesses(of: host.child).identifiers.first)
        try WorkerProcesses.stop(worker)
        host.send("us/increment", "eu/increment")
        try host.settle()
        let one = try host.ctl("state", "/orders")
        #expect(try JSONText.parse(one.output) == ["eu": ["count": 2], "us": ["count": 2]])
        #expect(
            one.errors == "gatehouse: the slice of eu stands at action 3, 1 more waits in its worker\n")
        host.send("eu/increment", "eu/increment")
        try host.settle()
        #expect(
            try host.ctl("state").errors
                == "gatehouse: the slice of eu stands at action 3, 3 more wait in its worker\n")
        let standing: Value = ["eu": ["at": 3, "waiting": 3]]
        for pointer in ["", "/orders", "/orders/eu", "/orders/eu/none"] {
            #expect(try slices(host, at: pointer) == standing, "\(pointer)")
        }
        for pointer in ["/orders/us", "/plain", "/none"] {
            #expect(try slices(host, at: pointer) == nil, "\(pointer)")
        }
        #expect(try host.ctl("state", "/plain").errors == "")
        kill(worker, SIGCONT)
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        #expect(try JSONText.parse(state)["orders"] == ["eu": ["count": 5], "us": ["count": 2]])
    }

    @Test func `a slice that has just moved into a worker contains all that came before`() throws {
        let host = try host(placement: "host")
        host.send("eu/increment", "eu/increment", "us/increment")
        try host.settle()
        #expect(try host.ctl("state").errors == "")
        try host.reload(configuration(placement: "worker"), expecting: "move eu into a worker")
        try settle(host)
        let moved = try host.ctl("state", "/orders/eu")
        #expect(try JSONText.parse(moved.output) == ["count": 2])
        let at = try slices(host, at: "/orders/eu")?["eu"]?["at"]?.intValue ?? 0
        #expect(at >= 3)
        #expect(moved.errors == "gatehouse: the slice of eu stands at action \(at)\n")
        let (_, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
    }

    @Test(arguments: [("host", "move eu into the host"), ("worker:eu", "eu")])
    func `whoever takes over from a worker that stands still has all that it was given`(
        placement: String, sentence: String
    ) throws {
        let host = try LiveHost(
            configuration(placement: "worker"), libraries: ["CounterPlugin"],
            ["--control", "--print", "state", "--grace", "1"])
        host.send("eu/increment", "eu/increment")
        try settle(host)
        try WorkerProcesses.stop(try #require(WorkerProcesses(of: host.child).identifiers.first))
        host.send("eu/increment", "us/increment", "eu/increment", "eu/increment")
        try host.reload(configuration(placement: placement), expecting: "generation 2")
        host.send("eu/increment")
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        #expect(try JSONText.parse(state)["orders"] == ["eu": ["count": 6], "us": ["count": 1]])
    }
}
