// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What becomes of requests when their instance is replaced, or their host ends or dies.
@Suite(.timeLimit(.minutes(10))) struct HTTPClientLeavingTests {
    /// A configuration with a client that sends one request after the other.
    private func text(_ url: String, _ journal: String, _ more: String = "") -> String {
        #"""
        { "name": "shop", "discovery": "ignore", \#(journal)"plugins": [
            { "id": "mail", "library": "libHTTPClientPlugin.so",
              "settings": { "url": "\#(url)", "concurrency": 1, "attempts": 1\#(more) },
              "lift": { "input": { "order/placed": "send" } } } ] }
        """#
    }

    /// The line of an order.
    private func order(_ id: Int) -> String { #"{"type":"order/placed","payload":{"id":\#(id)}}"# }

    /// The numbers of the orders that came to a service.
    private func numbers(_ server: ScriptedServer) -> [Int] {
        server.requests.compactMap { try? JSONText.parse($0.body)["id"]?.intValue }
    }

    @Test(arguments: ["", #""journal": {}, "#])
    func `a reload lets what is under way end, and hands over what waits untouched`(journal: String) throws {
        let (arrived, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try ScriptedServer { _, number in
            if number == 0 {
                arrived.signal()
                goOn.wait()
            }
            return .status(200)
        }
        let live = try LiveHost(
            text(server.url(), journal), libraries: ["HTTPClientPlugin"], ["--print", "actions"])
        for id in 1...5 { live.write(order(id)) }
        try live.settle()
        try #require(arrived.wait(timeout: .now() + 60) == .success)
        try live.scene.folder.write(
            text(server.url(), journal).replacing(#""concurrency": 1"#, with: #""concurrency": 2"#),
            to: "plugins.json")
        live.child.signal(SIGHUP)
        goOn.signal()
        try live.child.waitForErrors("generation 2 runs")
        live.child.closeInput()
        let outcome = try live.child.finish()
        #expect(numbers(server).sorted() == [1, 2, 3, 4, 5])
        #expect(Set(server.requests.map { $0.headers["idempotency-key"] }).count == 5)
        #expect(outcome.output.split(separator: "\n").count { $0.contains("mail/succeeded") } == 5)
        #expect(!outcome.output.contains("mail/failed"))
        #expect(!outcome.errors.contains("given up"), "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `what waited when the host was killed is sent by the next one, each with its key`() throws {
        let arrived = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { _, number in
            arrived.signal()
            return number == 0 ? .silence : .status(200)
        }
        let live = try LiveHost(text(server.url(), #""journal": {}, "#), libraries: ["HTTPClientPlugin"])
        for id in 1...5 { live.write(order(id)) }
        try live.settle()
        try #require(arrived.wait(timeout: .now() + 60) == .success)
        live.child.signal(SIGKILL)
        _ = try live.child.finish()
        let outcome = try live.scene.run(["--print", "actions"], input: "")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(numbers(server) == [1, 1, 2, 3, 4, 5])
        #expect(Set(server.requests.map { $0.headers["idempotency-key"] }).count == 5)
        #expect(outcome.output.split(separator: "\n").count { $0.contains("mail/succeeded") } == 5)
    }

    @Test func `a host that is asked to end leaves what waits to the next run`() throws {
        let arrived = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { _, number in
            arrived.signal()
            return .status(number == 0 ? 503 : 200)
        }
        let live = try LiveHost(
            text(server.url(), #""journal": {}, "#, #", "pause": 3600, "maximumPause": 3600"#)
                .replacing(#""attempts": 1"#, with: #""attempts": 2"#), libraries: ["HTTPClientPlugin"])
        for id in 1...3 { live.write(order(id)) }
        try live.settle()
        try #require(arrived.wait(timeout: .now() + 60) == .success)
        live.child.signal(SIGTERM)
        let end = try live.child.finish()
        #expect(end.exitCode == 0, "\(end.errors)")
        #expect(numbers(server) == [1])
        #expect(try live.scene.run([], input: "").exitCode == 0)
        #expect(numbers(server) == [1, 1, 2, 3])
    }

    @Test(arguments: ["host", "worker"])
    func `without a journal a host that is asked to end sends what waits, and gives up pauses`(
        placement: String
    )
        throws
    {
        let arrived = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { _, number in
            arrived.signal()
            return .status(number == 0 ? 503 : 200)
        }
        let grant =
            placement == "worker" ? #""grant": { "network": ["connect:127.0.0.1:\#(server.port)"] }, "# : ""
        let live = try LiveHost(
            text(server.url(), "", #", "pause": 3600, "maximumPause": 3600"#)
                .replacing(#""attempts": 1"#, with: #""attempts": 2"#)
                .replacing(
                    #""id": "mail","#, with: #""id": "mail", "placement": "\#(placement)", \#(grant)"#),
            libraries: ["HTTPClientPlugin"], ["--print", "actions"])
        for id in 1...3 { live.write(order(id)) }
        try live.settle()
        try #require(arrived.wait(timeout: .now() + 60) == .success)
        live.child.signal(SIGTERM)
        let end = try live.child.finish()
        #expect(numbers(server) == [1, 2, 3])
        let answers = end.output.split(separator: "\n").filter { $0.contains(#""mail/"#) }
        #expect(answers.count { $0.contains("mail/succeeded") } == 2, "\(end)")
        #expect(answers.count { $0.contains("mail/failed") } == 1, "\(end)")
    }

    @Test func `what fails for good is a dead letter with its payload and the number of attempts`() throws {
        let server = try ScriptedServer { _, _ in .status(503) }
        let live = try LiveHost(text(server.url(), ""), libraries: ["HTTPClientPlugin"], ["--control"])
        live.write(order(7))
        try live.child.waitForErrors("the service answers 503; attempts: 1")
        let letters = try JSONText.parse(live.ctl("dead-letters", "--show", "1", "--json").output)
        let letter = letters["letters"]?[0] ?? letters
        #expect(letter["kind"] == "failed")
        #expect(letter["reason"] == "the service answers 503; attempts: 1")
        #expect(letter["action"] == ["type": "order/placed", "payload": ["id": 7]])
        live.child.closeInput()
        #expect(try live.child.finish().exitCode == 75)
    }
}
