// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import GatehouseCluster
import GatehouseHostTesting
import Glibc
import Testing

/// A cluster of hosts as a test needs it: with a writer, and with what must hold at the end whatever has happened.
final class ClusterCase {
    /// The engine and the members.
    let scene: ClusterScene
    /// Sends again what was not acknowledged.
    private let writer: ClusterWriter
    /// The writer's thread; nil before it has begun.
    private var thread: TestWriter?
    /// How many lines it may have written.
    private var allowed = 0

    /// Whether this machine has what a cluster needs.
    static let canRun = RedisServer.isInstalled

    /// A cluster without members, whose engine is a file.
    init(file path: String, _ terms: ClusterScene.Terms = ClusterScene.Terms()) {
        scene = ClusterScene(file: path, terms)
        writer = ClusterWriter(
            "w", namingLines: true, keys: (0..<terms.keys).map { "k\($0)" },
            seed: UInt64.random(in: 0...UInt64.max))
    }

    /// A cluster without members.
    init(
        _ redis: RedisServer? = nil, _ terms: ClusterScene.Terms = ClusterScene.Terms(),
        namingLines: Bool = true
    ) throws {
        scene = ClusterScene(try redis ?? RedisServer(), terms)
        writer = ClusterWriter(
            "w", namingLines: namingLines, keys: (0..<terms.keys).map { "k\($0)" },
            seed: UInt64.random(in: 0...UInt64.max))
    }

    /// Makes members, starts them, and waits until each of them has partitions.
    func start(_ names: String..., proxied: Bool = false) throws -> [SceneMember] {
        let members = try names.map { try scene.member($0, isProxied: proxied) }
        for member in members { try member.startListening() }
        try scene.waitUntilSettled(members)
        return members
    }

    /// Lets the writer write so many lines more, to any of the members that there are when it begins.
    func begin(_ count: Int) throws {
        if thread == nil { thread = try writer.start(to: scene.members.map(\.socket)) }
        allowed += count
        writer.allow(count)
    }

    /// Waits until so many lines were acknowledged of those that were begun last; all of them unless told otherwise.
    func waitForWriter(_ count: Int? = nil) throws {
        let wanted = min(allowed, count.map { writer.count + $0 } ?? allowed)
        _ = try scene.wait("\(wanted) lines are acknowledged") { _ in self.writer.count >= wanted }
    }

    /// Lets the writer write so many lines more, and waits until they are acknowledged.
    func write(_ count: Int) throws {
        try begin(count)
        try waitForWriter()
    }

    /// How many lines were acknowledged.
    var acknowledged: Int { writer.count }

    /// Waits until the partitions are done with everything, ends the members in order, and expects that each line was reduced once and
    /// in order.
    func expectAll() throws {
        writer.allow(0, andNoMore: true)
        thread?.join()
        try scene.waitUntilDone()
        let running = scene.members.filter(\.isRunning)
        for member in running { try member.running().signal(SIGTERM) }
        for member in running {
            let outcome = try member.finish()
            #expect(outcome.exitCode == 0, "\(member.name): \(outcome.errors)")
        }
        let pages = try PassbookPages(of: try scene.slices())
        let audit = Audit([writer], pages, scene.terms)
        let told = scene.members.flatMap { member in member.ended.map { "\(member.name): \($0.errors)" } }
        #expect(audit.faults == [], "\(told.joined(separator: "\n"))")
    }
}
