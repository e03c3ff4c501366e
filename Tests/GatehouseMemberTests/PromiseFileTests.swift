// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSupport
import Synchronization
import Testing

@testable import GatehouseCluster
@testable import GatehouseMember
@testable import GatehouseRuntime

/// What a member keeps of the engine's confirmations from one process to the next.
struct PromiseFileTests {
    private let folder: TemporaryFolder
    private let file: PromiseFile
    /// What the member has told its operator.
    private let notices = Told()

    /// What was told.
    private final class Told: Sendable {
        private let list = Mutex<[ClusterNotice]>([])
        func add(_ notice: ClusterNotice) { list.withLock { $0.append(notice) } }
        var all: [ClusterNotice] { list.withLock { $0 } }
    }

    init() throws {
        folder = try TemporaryFolder()
        file = PromiseFile(of: "shop", in: folder("data"))
    }

    /// A keeper of what a server has confirmed.
    private func keeper(_ memory: ClusterMemory, in file: PromiseFile? = nil) -> PromiseKeeper {
        PromiseKeeper(memory, in: file ?? self.file, report: { [notices] in notices.add($0) })
    }

    /// A memory of one confirmed action.
    private func memory(_ high: UInt64) -> ClusterMemory {
        let memory = ClusterMemory(partitions: 2)
        memory.join(era: "first")
        memory.see([(partition: 1, offset: ClusterOffset(high, 1))])
        return memory
    }

    @Test func `what was confirmed is there for the next process`() throws {
        #expect(try file.read() == nil)
        let before = memory(7)
        before.see(checkpoint: ClusterOffset(6, 0, place: 3), of: 1)
        before.see(epoch: 4, of: 0)
        keeper(before).keep()
        #expect(file.path == folder("data/cluster-shop.promise"))
        let next = ClusterMemory(partitions: 2)
        try keeper(next).recall()
        #expect(next.promise == before.promise)
        #expect(next.hasJoined)
        // Of another number of partitions only the cluster is known.
        let resized = ClusterMemory(partitions: 3)
        try keeper(resized).recall()
        #expect(resized.promise.era == "first")
        #expect(resized.promise.floors == Array(repeating: .init(), count: 3))
        #expect(notices.all == [])
    }

    @Test func `the file is written again only after a pause, and at the end`() throws {
        let memory = memory(7)
        let keeper = keeper(memory)
        keeper.keep()
        memory.see([(partition: 1, offset: ClusterOffset(8, 0))])
        keeper.keep()
        #expect(try file.read()?.floors[1].entry == ClusterOffset(7, 1))
        keeper.keep(isLast: true)
        #expect(try file.read()?.floors[1].entry == ClusterOffset(8, 0))
    }

    @Test(arguments: [
        "", "{}", #"{"form":2,"era":"a","floors":[]}"#, #"{"form":1,"era":"a","floors":[["1"]]}"#,
    ])
    func `a file that no member writes is refused with its path`(text: String) throws {
        _ = try folder.makeFolder("data")
        try folder.write(text, to: "data/cluster-shop.promise")
        #expect(
            throws: ClusterFailure.refused(
                "\(file.path), which has what Redis had confirmed to this member, cannot be read; remove it to join without that"
            )
        ) { try keeper(ClusterMemory(partitions: 2)).recall() }
    }

    @Test func `a file that cannot be written is told once`() throws {
        try folder.write("no folder", to: "data")
        let keeper = keeper(memory(7))
        keeper.keep(isLast: true)
        keeper.keep(isLast: true)
        #expect(
            notices.all.map(\.description) == [
                "cluster: \(file.path) cannot be written: Not a directory; until it can, a member that is started again does not notice what Redis has lost"
            ])
    }
}
