// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How fast input is read while another thread does the work.
@Suite(.timeLimit(.minutes(10))) struct HostPaceTests {
    /// Emits from a thread of its own.
    private struct Aside: Plugin {
        enum Action: PluginAction { case begin, aside }

        /// Whether the reader has left the drain, so that the effect's thread is the one to drain.
        static let mayEmit = Atomic<Bool>(false)

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                guard case .begin = action else { return .doNothing }
                return .task {
                    while !mayEmit.load(ordering: .sequentiallyConsistent) { await Task.yield() }
                    return .aside
                }
            }
        }
    }

    /// Where the two threads are.
    private final class Progress: Sendable {
        /// Whether the effect's thread has begun to work.
        let isHeld = Atomic<Bool>(false)
        /// Whether it has finished.
        let isReleased = Atomic<Bool>(false)
        /// Whether 1,024 lines were read between the two.
        let isOverrun = Atomic<Bool>(false)
        /// How many actions were processed.
        let actions = Atomic<Int>(0)
    }

    @Test func `input waits while an effect's thread works, and nothing is lost`() async throws {
        let version = try #require(SemanticVersion("1.0.0"))
        let progress = Progress()
        let summary = try await TestThread.value {
            let plugin = LinkedPlugin(
                entry: InstanceConfiguration(id: "a"),
                manifest: PluginManifest(
                    id: "aside", version: version, summary: "", principal: "Aside", consumes: ["begin"],
                    emits: ["aside"]),
                exports: PluginEntry.exports(of: Aside.self))
            let assembly = try Assembly(
                linking: [plugin],
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { _ in }))
            // Only where somebody may ask to end is waiting told.
            let stop = StopRequest()
            let host = Host(assembly, reports: Reporter { _ in }, stop: stop) { dispatched in
                let action = dispatched.action;
                progress.actions.add(1, ordering: .relaxed)
                guard action.type == "a/aside" else { return }
                progress.isHeld.store(true, ordering: .sequentiallyConsistent)
                // Long enough for a reader that does not wait to get through everything.
                let end = ContinuousClock.now.advanced(by: .milliseconds(300))
                while ContinuousClock.now < end, !progress.isOverrun.load(ordering: .sequentiallyConsistent) {
                    sched_yield()
                }
                progress.isReleased.store(true, ordering: .sequentiallyConsistent)
            }
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw SystemFailure("pipe") }
            defer { close(ends[0]) }
            Self.write("{\"type\":\"a/begin\"}\n", to: ends[1])
            var isFed = false
            return try host.run(
                [.stream(ends[0], name: "input")], isStrict: false,
                onLine: { _ in
                    let isReleased = progress.isReleased.load(ordering: .sequentiallyConsistent)
                    if !isReleased { progress.isOverrun.store(true, ordering: .sequentiallyConsistent) }
                },
                onWait: { isWaiting in
                    guard isWaiting, !isFed else { return }
                    isFed = true
                    Aside.mayEmit.store(true, ordering: .sequentiallyConsistent)
                    while !progress.isHeld.load(ordering: .sequentiallyConsistent) { sched_yield() }
                    // Less than a pipe holds, so that writing does not block.
                    Self.write(String(repeating: "{\"type\":\"b\"}\n", count: 2_000), to: ends[1])
                    close(ends[1])
                })
        }
        #expect(summary.lines == 2_001)
        let actions = progress.actions.load(ordering: .relaxed)
        let isOverrun = progress.isOverrun.load(ordering: .relaxed)
        #expect(actions == 2_002)
        #expect(!isOverrun)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    }
}
