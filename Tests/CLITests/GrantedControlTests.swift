// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// Instances that ask the host what operators ask it.
@Suite(.timeLimit(.minutes(10))) struct GrantedControlTests {
    /// Two counters and a remote.
    private static func configuration(_ members: String) -> String {
        """
        { "plugins": [
            { "id": "eu", "library": "libCounterPlugin.so", "lift": { "state": "/orders/eu" } },
            { "id": "remote", "library": "libRemotePlugin.so"\(members) } ] }
        """
    }

    private static let granted = #", "lift": { "dependencies": ["control"] }"#

    private func scene(_ members: String = granted) throws -> Scene {
        try Scene(Self.configuration(members), libraries: ["CounterPlugin", "RemotePlugin"])
    }

    private func ask(_ questions: String) -> String {
        #"{"type":"remote/ask","payload":[\#(questions)]}"# + "\n"
    }

    /// What instances logged, in order.
    private func answers(_ outcome: ChildProcess.Outcome) -> [String] {
        outcome.errorLines.compactMap {
            $0.hasPrefix("remote: ") ? String($0.dropFirst("remote: ".count)) : nil
        }
    }

    @Test
    func `an instance moves gates, dispatches and looks at the state, and is the source of what it does`()
        throws
    {
        let outcome = try scene().run(
            ["--print", "actions"],
            input: ask(
                """
                {"method":"dispatch","parameters":{"action":{"type":"eu/increment","payload":{"by":4}}}},
                {"method":"state","parameters":{"pointer":"/orders/eu/count"}},
                {"method":"gate","parameters":{"id":"eu","position":"close"}}
                """.replacing("\n", with: "")))
        #expect(
            answers(outcome) == [
                #"{"dispatched":1,"reported":0}"#, #"{"pointer":"/orders/eu/count","value":4}"#,
                #"{"id":"eu","gate":"bypass","was":"active"}"#,
            ])
        #expect(
            outcome.output.split(separator: "\n").filter { !$0.contains("remote/") } == [
                #"{"type":"eu/increment","payload":{"by":4}}"#,
                #"{"type":"host/gate/close","payload":"eu"}"#,
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["", #", "lift": { "dependencies": ["clock", "data", "state", "ingress"] }"#])
    func `only an entry that lists control is given it`(members: String) throws {
        let outcome = try scene(members).run(input: ask(#"{"method":"status"}"#))
        #expect(answers(outcome) == [#""not granted""#])
    }

    @Test func `what makes no sense is told as a client of the socket is told it`() throws {
        let outcome = try scene().run(
            input: ask(
                #"{"method":"statsu"},{"method":"gate","parameters":{"id":"ue","position":"open"}},{"method":"watch"},{"method":"reload","parameters":{"expect":7}}"#
            ))
        let answers = answers(outcome)
        #expect(
            answers.prefix(3) == [
                #"{"code":-32601,"message":"unknown method \"statsu\"; did you mean \"status\"?"}"#,
                #"{"code":-32602,"message":"/params/id: expected the id of an instance, found \"ue\"; did you mean \"eu\"?"}"#,
                #"{"code":-32001,"message":"expected a request with one answer, found watch; call watch instead"}"#,
            ])
        #expect(answers.last?.contains("expected generation 7, found generation 1") == true)
    }

    @Test func `an instance behind a closed gate looks, and changes nothing`() throws {
        let questions =
            #"{"method":"gate","parameters":{"id":"remote","position":"close"}},{"method":"gate","parameters":{"id":"eu","position":"close"}},{"method":"dispatch","parameters":{"action":{"type":"eu/increment"}}},{"method":"reload"},{"method":"stop"},{"method":"state","parameters":{"pointer":"/orders/eu/count"}}"#
        let child = try scene().start()
        child.write(ask(questions).replacing("remote/ask", with: "remote/insist"))
        try child.waitForErrors(#"remote: {"pointer":"/orders/eu/count","value":0}"#)
        child.closeInput()
        let refusal = #"{"code":-32001,"message":"the gate of the instance remote is closed"}"#
        #expect(
            answers(try child.finish()) == [
                #"{"id":"remote","gate":"bypass","was":"active"}"#, refusal, refusal, refusal, refusal,
                #"{"pointer":"/orders/eu/count","value":0}"#,
            ])
    }

    @Test func `a task that is cancelled asks for nothing more`() throws {
        let child = try scene().start()
        child.write(
            ask(
                #"{"method":"gate","parameters":{"id":"remote","position":"close"}},{"method":"gate","parameters":{"id":"eu","position":"close"}}"#
            ))
        // It is not waited for: a cancelled effect holds no run open.
        try child.waitForErrors("so nothing was done")
        child.closeInput()
        #expect(
            answers(try child.finish()) == [
                #"{"code":-32001,"message":"the task that asked was cancelled; the request may still be carried out"}"#,
                #"{"code":-32001,"message":"the task that asks was cancelled, so nothing was done"}"#,
            ])
    }

    @Test func `an instance is told what passes as long as it listens`() throws {
        let child = try scene().start(["--print", "actions"])
        child.write(#"{"type":"remote/follow"}"# + "\n")
        try child.waitForErrors("remote: watching")
        child.write(#"{"type":"orders/first"}"# + "\n" + #"{"type":"other"}"# + "\n")
        try child.waitForOutput(#"{"type":"remote/heard","payload":{"type":"orders/first"}}"#)
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.output.components(of: "remote/heard") == 1)
        #expect(outcome.exitCode == 0)
    }

    @Test func `an instance that asks for a reload may itself be replaced by it`() throws {
        let scene = try scene()
        let child = try scene.start(["--grace", "60"])
        child.write("?\n")
        try child.waitForErrors("standard input:1:1")
        try scene.folder.write(
            Self.configuration(#", "lift": { "dependencies": ["control", "clock"] }"#), to: "plugins.json")
        child.write(ask(#"{"method":"reload"}"#))
        try child.waitForErrors("generation 2 runs")
        // Its successor begins the effect again, and asks once more.
        try child.waitForErrors("nothing has changed, generation 2 runs on")
        child.closeInput()
        let outcome = try child.finish()
        let answers = answers(outcome)
        #expect(
            answers.first
                == #"{"code":-32001,"message":"the task that asked was cancelled; the request may still be carried out"}"#
        )
        #expect(answers.count == 2)
        #expect(answers.last?.contains(#""result":"unchanged""#) == true)
        #expect(!outcome.errors.contains("given up"))
        #expect(outcome.exitCode == 0)
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
