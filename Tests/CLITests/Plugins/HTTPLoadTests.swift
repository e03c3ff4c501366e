// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What operators can do while clients keep a host busy: for `GATEHOUSE_LOAD` seconds by `wrk` with 200 connections, which somebody
/// who asks for it has installed, or by four clients for as long as it takes.
@Suite(.timeLimit(.minutes(120)))
struct HTTPLoadTests {
    /// For how many seconds `wrk` asks; nil without it. Times are looked at then too.
    private static let seconds =
        unsafe getenv("GATEHOUSE_LOAD").flatMap { unsafe Int(String(cString: $0)) }

    private let increment = #"{"type":"counter/increment"}"#

    /// Expects that most answers came within a time, and none took longer than a second, where somebody looks at that: who asks
    /// shares the processors with those who make the load.
    private func expect(_ times: [Duration], mostlyWithin limit: Duration) {
        guard Self.seconds != nil else { return }
        let sorted = times.sorted()
        #expect(sorted[sorted.count / 2] <= limit, "\(sorted)")
        #expect(sorted[sorted.count - 1] <= .seconds(1), "\(sorted)")
    }

    @Test func `load and hostile clients keep nobody from looking, changing, reloading and ending the host`()
        throws
    {
        let host = try HTTPHost(HTTPHost.configuration(), ["--control"])
        let hostile = HostileClients(port: host.port)
        defer { hostile.finish() }
        try hostile.waitUntilThere()
        let wrk = try Self.seconds.map { seconds in
            try ChildProcess(
                "/usr/bin/env",
                [
                    "wrk", "--threads", "2", "--connections", "200", "--duration", "\(seconds)s",
                    "http://127.0.0.1:\(host.port)/health",
                ], in: "/")
        }
        let clients = wrk == nil ? (0..<4).map { _ in AskingClient(port: host.port) } : []
        defer { for client in clients { _ = client.finish() } }
        let end = ContinuousClock.now + .seconds(Self.seconds.map { $0 / 2 } ?? 0)
        var brought = 0
        var (health, status): ([Duration], [Duration]) = ([], [])
        repeat {
            health.append(
                try ContinuousClock().measure {
                    let answer = try host.ask("GET", "/health")
                    #expect(answer.status == 200, "\(answer.body)")
                })
            status.append(
                try ContinuousClock().measure {
                    let outcome = try host.scene.call("ctl", "status")
                    #expect(outcome.exitCode == 0, "\(outcome.errors)")
                })
            #expect(try host.bring(increment).status == 200)
            brought += 1
            #expect(try host.ask("GET", "/state/counter/count").body == "\(brought)\n")
        } while ContinuousClock.now < end
        expect(health, mostlyWithin: .milliseconds(100))
        // With the start of a process, beside a load that takes all processors.
        expect(status, mostlyWithin: .milliseconds(250))
        try host.scene.folder.write(HTTPHost.configuration(#""maximumBody": 2000"#), to: "plugins.json")
        host.child.signal(SIGHUP)
        try host.child.waitForErrors("generation 2 runs")
        #expect(try host.bring(increment).status == 200)
        for client in clients { try client.waitForAnswer() }
        host.child.signal(SIGTERM)
        let outcome = try host.child.finish()
        #expect(outcome.exitCode == 0)
        #expect(!outcome.errors.contains("given up"), "\(outcome.errors)")
        for client in clients { #expect(client.finish().others.allSatisfy { $0 == 503 }) }
        if let wrk {
            wrk.signal(SIGKILL)
            _ = try wrk.finish()
        }
    }
}
