// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// What holds input back: effects that finish what was promised.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HostRoomTests {
    /// Starts effects that end when somebody says so.
    private struct Slow: Plugin {
        enum Action: PluginAction { case begin, watch }

        /// What is running, and the most that ever was.
        struct Running {
            var outputs: [EffectOutput<Action>] = []
            var most = 0
        }

        static let running = Mutex(Running())

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                switch action {
                case .begin:
                    .start { _, output in
                        running.withLock {
                            $0.outputs.append(output)
                            $0.most = max($0.most, $0.outputs.count)
                        }
                    }.finishing
                case .watch: .start { _, output in output.onCancel { _ = output } }.inBackground
                }
            }
        }

        /// Ends all that is running.
        static func finish() {
            let outputs = running.withLock { running in
                defer { running.outputs = [] }
                return running.outputs
            }
            for output in outputs { output.finish() }
        }
    }

    /// Runs lines of input through the plugin, and tells when the host waits and what it reports.
    private func run(
        _ lines: [String], onWait: @escaping @Sendable () -> Void,
        onReport: @escaping @Sendable (HostReport) -> Void = { _ in }
    ) async throws -> Host.Summary {
        let version = try #require(SemanticVersion("1.0.0"))
        let folder = try TemporaryFolder()
        let input = try folder.write(lines.map { "{\"type\":\"slow/\($0)\"}\n" }.joined(), to: "input")
        let summary = try await TestThread.value {
            let plugin = LinkedPlugin(
                entry: InstanceConfiguration(id: "slow"),
                manifest: PluginManifest(
                    id: "slow", version: version, summary: "", principal: "Slow",
                    consumes: ["begin", "watch"], emits: []),
                exports: PluginEntry.exports(of: Slow.self))
            let host = Host(
                try Assembly(
                    linking: [plugin],
                    dependencies: HostDependencies(
                        clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                        report: { _ in })), reports: Reporter(onReport))
            let descriptor = unsafe open(input, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            return try host.run(
                [.stream(descriptor, name: "input")], isStrict: false,
                onWait: { if $0 { onWait() } })
        }
        withExtendedLifetime(folder) {}
        return summary
    }

    @Test func `input waits while many effects run, goes on when they end, and loses nothing`() async throws {
        let waits = Atomic<Int>(0)
        let summary = try await run(Array(repeating: "begin", count: 20_000)) {
            waits.add(1, ordering: .relaxed)
            Slow.finish()
        }
        #expect(summary.lines == 20_000)
        let most = Slow.running.withLock { $0.most }
        #expect(most > Host.maximumEffects && most <= Host.maximumEffects + 64)
        // Once for each time that there were too many, and once at the end.
        #expect(waits.load(ordering: .relaxed) == 20_000 / (Host.maximumEffects + 64) + 1)
    }

    @Test func `effects in the background hold nothing back`() async throws {
        let waits = Atomic<Int>(0)
        let summary = try await run(Array(repeating: "watch", count: 6_000)) {
            waits.add(1, ordering: .relaxed)
        }
        #expect(summary.lines == 6_000)
        #expect(waits.load(ordering: .relaxed) == 1)
    }

    @Test func `input that waits for long is told once, with the reason`() async throws {
        let told = Mutex<[String]>([])
        let waits = Atomic<Int>(0)
        let summary = try await run(Array(repeating: "begin", count: 4_200)) {
            // The second time it waits for the end.
            if waits.add(1, ordering: .relaxed).newValue == 2 { Slow.finish() }
        } onReport: { report in
            told.withLock { $0.append(report.description) }
            Slow.finish()
        }
        #expect(summary.lines == 4_200)
        #expect(
            told.withLock { $0 } == [
                "input waits, because 4160 effects are running; it is read again when 2048 are left"
            ])
    }
}
