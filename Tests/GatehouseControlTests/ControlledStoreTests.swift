// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What becomes of requests that come to the store of a partition when it has gone.
@Suite(.timeLimit(.minutes(10))) struct ControlledStoreTests {
    /// The store of partition 3, whose host has ended.
    private static func ended(
        patience: Duration = .seconds(60),
        printing: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil
    ) throws -> ControlledStore {
        let assembly = try Assembly(
            linking: [],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { _ in }))
        let core = Host(assembly, reports: Reporter { _ in }).store
        #expect(core.queue.withExclusiveAccess { core.generation == nil })
        return ControlledStore(core, at: .partition(3), patience: patience, printing: printing)
    }

    @Test func `a partition that has gone when its turn comes has nothing to say`() async throws {
        let store = try Self.ended()
        let answers = try await PartitionQuestion<Int>(to: [3: store]).ask { _, generation in
            generation.number
        }
        #expect(answers == [:])
    }

    @Test func `whoever asks one partition is told that it has just gone`() async throws {
        let store = try Self.ended()
        let error = await #expect(throws: ControlError.self) { try await store.state(at: .whole) }
        #expect(error?.message == "partition 3 has just left this member; ask again")
    }

    /// Says when nobody holds it any more.
    private final class Holder: Sendable {
        /// Called at that moment.
        private let onRelease: @Sendable () -> Void

        /// Somebody holds it.
        init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

        deinit { onRelease() }
    }

    @Test func `a partition that has gone can be watched in vain, and left alone again`() async throws {
        let store = try Self.ended()
        await withCheckedContinuation { continuation in
            let holder = Holder { continuation.resume() }
            let subscription = WatchSubscription(WatchFilter()) { withExtendedLifetime(holder) {} }
            Task { @EventLoop in
                do {
                    try await store.watch(subscription)
                } catch {
                    Issue.record(error)
                }
                store.unwatch(subscription)
            }
        }
    }

    @Test func `a store that has answered is let go of, however long it would have waited`() async throws {
        let (released, tell) = AsyncStream<Void>.makeStream()
        do {
            let holder = Holder { tell.finish() }
            let store = try Self.ended(patience: .seconds(1 << 20)) { _ in withExtendedLifetime(holder) {} }
            await #expect(throws: ControlError.self) { try await store.state(at: .whole) }
        }
        for await _ in released {}
    }
}
