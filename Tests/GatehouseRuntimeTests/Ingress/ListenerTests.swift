// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// Writers that connect to a socket of a run.
@Suite(.timeLimit(.minutes(10))) struct ListenerTests {
    /// The actions so far, each with its input and line.
    private final class Record: Sendable {
        let actions = Mutex<[String]>([])
    }

    /// Runs a host at a socket to which these texts were written, each over a connection, until it has had so many actions.
    private func run(
        _ texts: [String], count: Int
    ) async throws -> (actions: [String], summary: Host.Summary, status: InputStatus?) {
        let folder = try TemporaryFolder()
        let socket = try ListeningSocket(path: folder("in.sock"), mode: 0o600, acknowledges: false)
        // Writers need not wait until somebody listens to them.
        let writers = try texts.map { text in
            let writer = try LocalConnection(folder("in.sock"))
            writer.write(text)
            return writer
        }
        let (record, stop) = (Record(), StopRequest())
        let (summary, status) = try await TestThread.value {
            let host = Host(
                try .empty(),
                reports: Reporter { _ in }, stop: stop,
                onAction: { dispatched in
                    let source = dispatched.dispatcher
                    let known = record.actions.withLock {
                        $0.append("\(source.file):\(source.line) \(dispatched.action.type.name)")
                        return $0.count
                    }
                    if known == count { stop.ask(.control) }
                })
            let summary = try host.run([.listener(socket)], isStrict: false)
            return (summary, host.turn { _ in host.inputs.statuses(host.progress).first })
        }
        socket.remove()
        withExtendedLifetime(writers) {}
        return (record.actions.withLock { $0 }, summary, status)
    }

    @Test func `each writer has a number, and its lines are counted from 1`() async throws {
        let texts = (1...3).map { "{\"type\":\"a\($0)\"}\n{\"type\":\"b\($0)\"}\n" }
        let (actions, summary, status) = try await run(texts, count: 6)
        #expect(
            actions.sorted() == [
                "in.sock#1:1 a1", "in.sock#1:2 b1", "in.sock#2:1 a2", "in.sock#2:2 b2", "in.sock#3:1 a3",
                "in.sock#3:2 b3",
            ])
        #expect(summary.lines == 6 && summary.rejected == 0)
        #expect(status?.kind == .listen && status?.name == "in.sock" && status?.lines == 6)
    }

    @Test func `a writer may bring more lines than one turn has room for`() async throws {
        let many = String(repeating: "{\"type\":\"many\"}\n", count: 3_000)
        let (actions, summary, _) = try await run([many, "{\"type\":\"one\"}\n"], count: 3_001)
        #expect(actions.count == 3_001)
        #expect(actions.contains("in.sock#2:1 one"))
        #expect(actions.contains("in.sock#1:3000 many"))
        #expect(summary.lines == 3_001)
    }

    @Test func `after 64 new writers at once, whatever else the loop waits for has its turn`() async throws {
        let folder = try TemporaryFolder()
        let socket = try ListeningSocket(path: folder("in.sock"), mode: 0o600, acknowledges: false)
        let writers = try (0..<70).map { _ in try LocalConnection(folder("in.sock")) }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        defer { for end in ends { close(end) } }
        try #require(unsafe write(ends[1], "x", 1) == 1)
        let ready = ReadyInputs(waking: WakePipe())
        let listener = Listener(
            socket, InputAccount(.listener(socket), in: IngressConfiguration()), ready: ready,
            reports: Reporter { Issue.record("\($0)") })
        let (counts, more) = AsyncStream.makeStream(of: Int.self)
        // Ready in each turn of the loop.
        let other = try await EventLoop.run { [reading = ends[0]] () throws -> DescriptorWatch in
            listener.start()
            return try DescriptorWatch(reading, for: .readable) { _ in
                let opened = ready.take().compactMap { event -> OpenedInput? in
                    if case .opened(let opened) = event { opened } else { nil }
                }
                for input in opened { input.close() }
                if !opened.isEmpty { more.yield(opened.count) }
            }
        }
        var seen: [Int] = []
        for await count in counts {
            seen.append(count)
            if seen.reduce(0, +) == writers.count { break }
        }
        #expect(seen == [64, 6])
        await EventLoop.run {
            other.cancel()
            listener.stop()
        }
        socket.remove()
        withExtendedLifetime(writers) {}
    }
}
