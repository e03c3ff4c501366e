// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// Sockets at which the host lets an instance in a worker listen.
@Suite(.timeLimit(.minutes(10))) struct WorkerListeningTests {
    /// A port at which nobody listens.
    private let port: Int

    init() throws { port = try LocalPort.free() }

    /// A configuration with a server in a worker, or in the host.
    private func text(_ placement: String = "worker", _ more: [String] = []) -> String {
        let grants = ["listen:127.0.0.1:\(port)"] + more
        let grant = #""grant": { "network": [\#(grants.map { "\"\($0)\"" }.joined(separator: ", "))] },"#
        return #"""
            { "discovery": "ignore", "plugins": [
                { "id": "echo", "library": "libServingPlugin.so", "placement": "\#(placement)",
                  \#(placement == "worker" ? grant : "") "settings": { "port": \#(port) } } ] }
            """#
    }

    /// A host with that configuration.
    private func host(_ text: String? = nil) throws -> LiveHost {
        try LiveHost(text ?? self.text(), libraries: ["ServingPlugin"], ["--print", "actions"])
    }

    /// Ends a host that would go on as long as somebody listens.
    private func end(_ host: LiveHost) throws -> ChildProcess.Outcome {
        host.child.signal(SIGTERM)
        return try host.child.finish()
    }

    /// Sends a line, and returns the process that answers.
    private func server(of client: LocalConnection, _ line: String) throws -> pid_t {
        client.write(line + "\n")
        let words = try #require(client.readLine()).split(separator: " ", maxSplits: 1)
        #expect(words.last.map(String.init) == line)
        return try #require(words.first.flatMap { pid_t($0) })
    }

    /// The number of the socket that listens at the port.
    private func socket() throws -> Substring {
        let text = String(decoding: try FileSystem.read("/proc/net/tcp"), as: UTF8.self)
        let digits = String(port, radix: 16, uppercase: true)
        let place = " 0100007F:" + String(repeating: "0", count: 4 - digits.utf8.count) + digits + " "
        // The state 0A is that of one that listens.
        let line = try #require(
            text.split(separator: "\n").first { $0.contains(place) && $0.contains(" 00000000:0000 0A ") })
        return line.split(separator: " ")[9]
    }

    @Test(arguments: ["host", "worker"])
    func `clients are served in both places, and each line becomes an action`(placement: String) throws {
        let host = try host(text(placement))
        let clients = try (0..<3).map { _ in try LocalConnection(port: port) }
        for (number, client) in clients.enumerated() {
            let process = try server(of: client, "line \(number)")
            #expect((process == host.child.identifier) == (placement == "host"))
            try host.child.waitForOutput(#""type":"echo/line","payload":"line \#(number)""#)
        }
        let outcome = try end(host)
        #expect(!outcome.errors.contains("its worker"), "\(outcome.errors)")
        #expect(!LocalPort.isHeld(port))
    }

    @Test func `an address that is not granted is refused, and the sentence says what to add`() throws {
        let host = try host()
        let other = try LocalPort.free()
        host.write(#"{"type":"echo/listen","payload":{"port":\#(other)}}"#)
        let sentence =
            #"127.0.0.1:\#(other): the entry of echo does not let it listen there; add "listen:127.0.0.1:\#(other)" to its "grant"/"network""#
        try host.child.waitForErrors("echo: is failing: " + sentence)
        #expect(!LocalPort.isHeld(other))
        #expect(try server(of: try LocalConnection(port: port), "a") != host.child.identifier)
        _ = try end(host)
    }

    @Test func `a client who comes while no worker runs is served by the next one`() throws {
        let host = try host()
        let first = try server(of: try LocalConnection(port: port), "a")
        let before = try socket()
        // The host cannot start another one before it goes on.
        host.child.signal(SIGSTOP)
        kill(first, SIGKILL)
        let client = try LocalConnection(port: port)
        client.write("b\n")
        host.child.signal(SIGCONT)
        let second = try #require(client.readLine()).split(separator: " ")
        #expect(second.last == "b")
        #expect(second.first != "\(first)")
        #expect(try socket() == before)
        try host.child.waitForErrors("echo: its worker died by SIGKILL")
        _ = try end(host)
    }

    @Test func `a socket that a worker has shut down is made anew for the next one`() throws {
        let host = try host()
        let first = try server(of: try LocalConnection(port: port), "a")
        let before = try socket()
        host.write(#"{"type":"echo/shutDown"}"#)
        try host.child.waitForOutput("echo/gone")
        #expect(!LocalPort.isHeld(port))
        kill(first, SIGKILL)
        host.write(#"{"type":"echo/listen","payload":{"port":\#(port)}}"#)
        _ = try host.child.waitForOutput { $0.matches(of: #/"type":"echo\/listening"/#).count >= 2 }
        #expect(try server(of: try LocalConnection(port: port), "b") != first)
        #expect(try socket() != before)
        _ = try end(host)
    }

    @Test func `a port that is taken is told with the reason, and the instance goes on`() throws {
        let taken = try HostListeners().listen(at: .port(host: "127.0.0.1", UInt16(port)))
        let host = try host()
        let sentence =
            "127.0.0.1:\(port): nobody can listen there: Address already in use; end what does, or choose another place"
        try host.child.waitForErrors("echo: " + sentence)
        try host.child.waitForErrors("echo: is failing: " + sentence)
        taken.giveBack()
        host.write(#"{"type":"echo/listen","payload":{"port":\#(port)}}"#)
        try host.child.waitForOutput(#""echo/listening""#)
        _ = try server(of: try LocalConnection(port: port), "a")
        _ = try end(host)
    }

    @Test func `the run goes on as long as the worker listens, and no longer`() throws {
        let host = try host()
        _ = try server(of: try LocalConnection(port: port), "a")
        host.write(#"{"type":"echo/giveBack"}"#)
        let outcome = try {
            host.child.closeInput()
            return try host.child.finish()
        }()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(!LocalPort.isHeld(port))
    }

    @Test func `what an instance does at its end holds the run open until it is done, and no longer`() throws
    {
        let host = try host(text().replacing(#""port": \#(port)"#, with: #""port": \#(port), "waits": true"#))
        let client = try LocalConnection(port: port)
        _ = try server(of: client, "a")
        host.child.signal(SIGTERM)
        // The order to stop is one more, until the worker has answered it.
        try host.child.waitForErrors("waiting at most 10 s for ")
        _ = try server(of: client, "b")
        client.close()
        let outcome = try host.child.finish()
        #expect(!outcome.errors.contains("given up"), "\(outcome.errors)")
        #expect(outcome.output.contains(#""payload":"b""#))
    }

    @Test func `a reload that keeps the grant keeps the socket, in whichever worker the instance runs then`()
        throws
    {
        let host = try host()
        let first = try server(of: try LocalConnection(port: port), "a")
        let before = try socket()
        try host.reload(text("worker", ["connect:127.0.0.1:1"]), expecting: "replace echo: other rights")
        #expect(try socket() == before)
        #expect(try server(of: try LocalConnection(port: port), "b") != first)
        // In the host it is a socket that no worker has had.
        try host.reload(text("host"), expecting: "move echo into the host")
        let client = try LocalConnection(port: port)
        #expect(try server(of: client, "c") == host.child.identifier)
        #expect(try socket() != before)
        _ = try end(host)
    }
}
