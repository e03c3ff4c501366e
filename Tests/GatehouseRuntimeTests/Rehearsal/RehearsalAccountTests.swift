// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// Who is blamed for what a child tells, and who is tried again.
@Suite(.timeLimit(.minutes(10))) struct RehearsalAccountTests {
    private let folder: TemporaryFolder
    private let acts: [RehearsalAct]

    init() throws {
        folder = try TemporaryFolder()
        for name in ["liba.so", "libb.so", "libc.so"] { try folder.copyLibrary("CounterPlugin", as: name) }
        let plugins = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: false))
        acts = try plugins.candidates.map { candidate in
            let note = try #require(candidate.verdict.note)
            let file = try #require(candidate.file)
            let instances = ["1", "2"].map { number in
                PlannedInstance(
                    InstanceConfiguration(id: "\(candidate.fileName.dropFirst(3).first ?? "x")\(number)"),
                    manifest: note.manifest, library: candidate)
            }
            return RehearsalAct(
                content: ImageContent(file), broughtAlong: file.digest, note: note, instances: instances)
        }
    }

    /// The account of a child that told this and ended so.
    private func account(_ events: [RehearsalEvent], _ end: ChildEnd) -> RehearsalAccount {
        RehearsalAccount(of: acts, HostChild.Outcome(lines: events.map(\.line), end: end))
    }

    @Test func `a child that came to its end leaves nothing`() {
        let account = account([.done(image: 0), .done(image: 1), .done(image: 2), .end], .finished)
        #expect(account.refused.isEmpty && account.left.isEmpty && !account.blamed)
        #expect(account.passed == [0, 1, 2])
    }

    @Test func `an image that dies takes all its instances, and those after it are tried again`() {
        let account = account([.done(image: 0), .step(.load, image: 1, instance: nil)], .signal(11))
        #expect(account.refused.keys.sorted() == ["b1", "b2"])
        #expect(account.passed == [0])
        #expect(account.left.map { $0.instances.map(\.id) } == [["c1", "c2"]])
    }

    @Test func `an instance that dies takes no other, which is tried again`() {
        let account = account([.step(.parts, image: 0, instance: 1)], .exit(0))
        #expect(account.refused.keys.sorted() == ["a2"])
        #expect(account.passed == [])
        #expect(account.left.map { $0.instances.map(\.id) } == [["a1"], ["b1", "b2"], ["c1", "c2"]])
    }

    @Test func `an image that ends the child after its last step has not passed`() {
        let account = account([.step(.end, image: 0, instance: nil), .done(image: 0)], .signal(4))
        #expect(account.refused.keys.sorted() == ["a1", "a2"])
        #expect(account.passed == [])
        #expect(account.left.count == 2)
    }

    @Test func `a child that dies before its first step is nobody's doing`() {
        let account = account([], .exit(65))
        #expect(!account.blamed && account.refused.isEmpty && account.passed.isEmpty)
    }
}
