// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Synchronization
import Testing

@testable import GatehouseReload
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(5))) struct ChangeWatchTests {
    /// A watch that counts what it tells.
    private final class Told: Sendable {
        let times = Mutex(0)
        let news: AsyncStream<Void>
        private let teller: AsyncStream<Void>.Continuation

        init() { (news, teller) = AsyncStream.makeStream() }

        /// Watches a folder with a configuration.
        func watch(
            _ folder: TemporaryFolder, settling: Duration = .milliseconds(200),
            patience: Duration = .seconds(5)
        ) async -> ChangeWatch {
            let (file, path) = (folder("plugins.json"), folder.path)
            return await EventLoop.run { [self] in
                ChangeWatch(
                    file: file, folder: path, known: FileStamps(of: file, folder: path),
                    settling: settling, patience: patience
                ) {
                    self.times.withLock { $0 += 1 }
                    self.teller.yield()
                }
            }
        }

        /// Waits until it is told.
        func next() async {
            for await _ in news { return }
        }
    }

    @Test func `a change is told once, and not to who has looked at the files meanwhile`() async throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        // Whole at once: a writer that is kept from its processor between emptying and writing changes a file twice.
        func write(_ text: String) throws {
            try FileSystem.rename(try other.write(text, to: "plugins.json"), to: folder("plugins.json"))
        }
        try write("{}")
        let (looking, waiting) = (Told(), Told())
        let watches = await (looking.watch(folder), waiting.watch(folder))
        // On the loop, so that it cannot take note of the change in between, however long that is.
        try await EventLoop.run {
            try write("{ }")
            watches.0.accept()
        }
        // The one that comes second is told; the first had its time before.
        await waiting.next()
        try write("{  }")
        await waiting.next()
        await looking.next()
        #expect(looking.times.withLock { $0 } == 1)
        #expect(waiting.times.withLock { $0 } == 2)
        await EventLoop.run { withExtendedLifetime(watches) {} }
    }

    @Test func `what never settles is told when the patience is over, each time anew`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("{}", to: "plugins.json")
        let told = Told()
        let patience = Duration.milliseconds(300)
        // Longer than any test: nothing settles.
        let watch = await told.watch(folder, settling: .seconds(3_600), patience: patience)
        for round in 1...3 {
            let start = ContinuousClock.now
            try folder.write("{\(String(repeating: " ", count: round))}", to: "plugins.json")
            await told.next()
            // The time of the change before counts no longer.
            #expect(ContinuousClock.now - start >= patience)
            #expect(told.times.withLock { $0 } == round)
        }
        await EventLoop.run { withExtendedLifetime(watch) {} }
    }

    @Test func `what settles is told without waiting for the patience to be over`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("{}", to: "plugins.json")
        let told = Told()
        let watch = await told.watch(folder, settling: .milliseconds(50), patience: .seconds(3_600))
        for round in 1...2 {
            let start = ContinuousClock.now
            try folder.write("{\(String(repeating: " ", count: round))}", to: "plugins.json")
            await told.next()
            #expect(ContinuousClock.now - start >= .milliseconds(50))
        }
        await EventLoop.run { withExtendedLifetime(watch) {} }
    }
}
