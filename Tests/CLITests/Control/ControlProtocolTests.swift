// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite("The control socket", .timeLimit(.minutes(10)))
struct ControlProtocolTests {
    @Test func `requests of one client are answered in their order`() throws {
        let host = try ControlledHost()
        let client = try host.connect()
        client.write(
            #"{"jsonrpc":"2.0","id":"first","method":"dispatch","params":{"actions":[{"type":"eu/increment"},{"type":"eu/increment","payload":{"by":2}}]}}"#
                + "\n\n" + #"{"jsonrpc":"2.0","method":"gate","params":{"id":"eu","position":"close"}}"#
                + "\r\n"
                + #"{"jsonrpc":"2.0","id":null,"method":"state","params":{"pointer":"/orders"}}"# + "\n"
                + #"{"jsonrpc":"2.0","id":1.5,"method":"gate","params":{"id":"eu","position":"open"}}"# + "\n"
        )
        #expect(
            client.readLine() == #"{"jsonrpc":"2.0","id":"first","result":{"dispatched":2,"reported":0}}"#)
        #expect(
            client.readLine()
                == #"{"jsonrpc":"2.0","id":null,"result":{"pointer":"/orders","value":{"eu":{"count":3}}}}"#)
        // The notification before was done, and not answered.
        #expect(
            client.readLine()
                == #"{"jsonrpc":"2.0","id":1.5,"result":{"id":"eu","gate":"active","was":"bypass"}}"#)
    }

    @Test(arguments: [
        (
            "garbage",
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"column 1: expected a value, found garbage; bare words are true, false and null; send one JSON object a line"}}"#
        ),
        (
            #"[{"jsonrpc":"2.0","id":1,"method":"status"}]"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"expected a request, which is an object, found an array; batches are not supported, send the requests line by line"}}"#
        ),
        (
            #"{"id":1,"method":"status"}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"/jsonrpc: expected \"2.0\", found none; this is JSON-RPC 2.0"}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":[],"method":"status"}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"/id: expected a string, a number or null, found an array"}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"methd":"status"}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"unknown member \"methd\"; did you mean \"method\"?"}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":7}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"/method: expected a string, found an integer; name a method such as \"status\""}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"statu"}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method \"statu\"; did you mean \"status\"?"}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"restart"}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method \"restart\"; there are status, plan, reload, try, trial, swap, shadow, hour, costs, effects, now, entry, graph, generations, gate, release, dispatch, deadLetters, redispatch, discard, history, state, watch, unwatch, cluster, clusterDrain, clusterReload, metrics, upgrade, stop"}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"gate","params":["eu"]}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params: expected an object, found an array; name the parameters","data":{"pointer":"/params","expected":"an object","found":"an array"}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"gate","params":{"ID":"eu"}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/ID: expected only \"id\", \"position\", found \"ID\"; did you mean \"id\"?","data":{"pointer":"/params/ID","expected":"only \"id\", \"position\"","found":"\"ID\""}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"gate","params":{"id":"eu","position":"shut"}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/position: expected \"open\" or \"close\", found \"shut\"","data":{"pointer":"/params/position","expected":"\"open\" or \"close\"","found":"\"shut\""}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"reload","params":{"expect":"2"}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/expect: expected a whole number, found a string","data":{"pointer":"/params/expect","expected":"a whole number","found":"a string"}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"try","params":{"file":"x.so"}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/file: expected a path from the root on, found \"x.so\"","data":{"pointer":"/params/file","expected":"a path from the root on","found":"\"x.so\""}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"try","params":{"name":"../x.so","content":""}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/name: expected the name of a file, without a folder, found \"../x.so\"","data":{"pointer":"/params/name","expected":"the name of a file, without a folder","found":"\"../x.so\""}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"try","params":{"name":"x.so","content":"?"}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/content: expected bytes in Base64, found a string","data":{"pointer":"/params/content","expected":"bytes in Base64","found":"a string"}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"dispatch"}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/action: expected an action, found none","data":{"pointer":"/params/action","expected":"an action","found":"none"}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"dispatch","params":{"actions":[{"type":"a"},{"type":""}]}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/actions/1/type: expected a string that is not empty, found an empty string","data":{"pointer":"/params/actions/1/type","expected":"a string that is not empty","found":"an empty string"}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"watch","params":{"types":["a*b"]}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/types/0: expected an action type with \"*\" nowhere but at its end, found \"a*b\"","data":{"pointer":"/params/types/0","expected":"an action type with \"*\" nowhere but at its end","found":"\"a*b\""}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"watch","params":{"state":["a"]}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"/params/state/0: expected a JSON Pointer such as \"/orders/eu\", found \"a\"","data":{"pointer":"/params/state/0","expected":"a JSON Pointer such as \"/orders/eu\"","found":"\"a\""}}}"#
        ),
    ])
    func `a request that makes no sense is told what is wrong in it`(request: String, answer: String) throws {
        let host = try ControlledHost()
        let good = #"{"jsonrpc":"2.0","id":2,"method":"state","params":{"pointer":"/orders/eu/count"}}"#
        #expect(
            try host.answers(to: request, good)
                == [answer, #"{"jsonrpc":"2.0","id":2,"result":{"pointer":"/orders/eu/count","value":0}}"#])
    }

    @Test func `a client that asks and writes no more is answered`() throws {
        let host = try ControlledHost()
        let client = try host.connect()
        client.write(#"{"jsonrpc":"2.0","id":1,"method":"unwatch"}"# + "\n" + #"{"jsonrpc":"2.0","id":2,"#)
        client.finishWriting()
        #expect(client.readLine() == #"{"jsonrpc":"2.0","id":1,"result":{"watching":false}}"#)
        #expect(client.readLine() == nil)
    }

    @Test func `what a client asked for before it left is done`() throws {
        let host = try ControlledHost()
        let client = try host.connect()
        client.write(
            String(
                repeating:
                    #"{"jsonrpc":"2.0","id":1,"method":"dispatch","params":{"action":{"type":"eu/increment"}}}"#
                    + "\n", count: 100) + #"{"jsonrpc":"2.0","id":1,"method":"disp"#)
        client.close()
        let watcher = try host.connect()
        watcher.write(
            #"{"jsonrpc":"2.0","id":1,"method":"watch","params":{"state":["/orders/eu/count"]}}"# + "\n")
        #expect(watcher.readLine() == #"{"jsonrpc":"2.0","id":1,"result":{"watching":true}}"#)
        let last =
            #"{"jsonrpc":"2.0","method":"watch","params":{"state":{"pointer":"/orders/eu/count","value":100}}}"#
        while let line = watcher.readLine(), line != last {}
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a client that is killed in the middle leaves the host as it is`() throws {
        let host = try ControlledHost()
        let watcher = try ChildProcess(
            BuiltProducts.program, ["ctl", "watch"], in: host.scene.folder.path,
            environment: host.scene.environment)
        try watcher.waitForErrors("gatehouse: watching shop\n")
        watcher.signal(9)
        #expect(try watcher.finish().exitCode == nil)
        #expect(try host.ctl("dispatch", "eu/increment").exitCode == 0)
        #expect(try host.status()["clients"] == ["connected": 1, "watching": 0, "dropped": 0])
    }

    @Test func `a request without an end is refused`() throws {
        let host = try ControlledHost()
        let client = try host.connect()
        client.write(String(repeating: "x", count: 2 << 20))
        #expect(
            client.readLine()
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"expected a request of at most 1048576 bytes, found more; send less at once"}}"#
        )
        #expect(try host.ctl("dispatch", "eu/increment").exitCode == 0)
    }

    @Test func `a thousand idle clients keep nobody from being answered`() throws {
        let host = try ControlledHost()
        LocalConnection.raiseLimit()
        let clients = try (0..<1_000).map { _ in try host.connect() }
        #expect(try host.ctl("dispatch", "eu/increment").output == "1 action dispatched\n")
        #expect(
            clients[0].readLine()
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32003,"message":"256 clients are connected, which is the limit, and this one was idle longest; connect again"}}"#
        )
        #expect(clients[0].readLine() == nil)
        clients[999].write(#"{"jsonrpc":"2.0","id":1,"method":"unwatch"}"# + "\n")
        #expect(clients[999].readLine() == #"{"jsonrpc":"2.0","id":1,"result":{"watching":false}}"#)
        #expect(try host.finish().exitCode == 0)
    }

    /// A processor that this process may use; on it alone, all tasks of a program share one thread.
    private static let processor =
        (try? FileSystem.read("/proc/self/status"))
        .flatMap { String(decoding: $0, as: UTF8.self).firstMatch(of: /Cpus_allowed_list:\s*(\d+)/) }
        .map { String($0.1) } ?? "0"

    @Test(arguments: [[], ["taskset", "-c", processor]])
    func `whoever asks a host that a plugin keeps busy is told who does`(command: [String]) throws {
        let scene = try Scene(
            #"{ "name": "shop", "plugins": [{ "id": "ending" }] }"#, libraries: ["EndingPlugin"])
        let process = try ChildProcess(
            "/usr/bin/env", command + [BuiltProducts.program, "run", "--control"], in: scene.folder.path,
            environment: scene.environment, keeping: scene.folder)
        try process.waitForErrors("gatehouse: shop can be controlled")
        let client = try LocalConnection(scene.folder("gatehouse/shop.sock"))
        let other = try LocalConnection(scene.folder("gatehouse/shop.sock"))
        client.write(
            #"{"jsonrpc":"2.0","id":1,"method":"dispatch","params":{"action":{"type":"ending/loop"}}}"# + "\n"
        )
        #expect(
            client.readLine()
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"ending has been busy with an action for 3 s; the request has begun and continues"}}"#
        )
        other.write(#"{"jsonrpc":"2.0","id":2,"method":"status"}"# + "\n")
        #expect(
            other.readLine()
                == #"{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"ending has been busy with an action for 3 s; nothing was done, ask again"}}"#
        )
        process.signal(9)
        #expect(try process.finish().exitCode == nil)
    }
}
