// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How the instances of one process begin, with real processes of the program.
@Suite(.timeLimit(.minutes(10))) struct WorkerGroupTests {
    /// What became of each instance: the ids of those that are there, and why the others are not.
    private struct Outcome {
        /// Those that are there.
        var ready: [String] = []
        /// Why others are not, by their ids.
        var reasons: [String: String] = [:]
        /// The processes of those that are there.
        var processes: Set<Int32> = []
        /// How many processes were started.
        var lives = 0
    }

    /// An instance that is to be made.
    private struct Wish {
        /// Its id.
        let id: String
        /// The library.
        var library = "CounterPlugin"
        /// The path of another file that is loaded in its place; nil for the library.
        var path: String?
        /// Its settings.
        var settings: Value = [:]
    }

    /// Makes instances in one process, one after the other.
    private func outcome(of wishes: [Wish], patience: Duration = .seconds(300)) throws -> Outcome {
        let entries = wishes.map { #"{ "id": "\#($0.id)", "library": "lib\#($0.library).so" }"# }
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "discovery": "ignore", "placement": "worker:shop", "plugins": [\#(entries.joined(separator: ", "))] }"#,
            libraries: Set(wishes.map(\.library)).sorted())
        let seats = try zip(plan.instances, wishes).map { planned, wish in
            let (content, note) = try #require(planned.image)
            var entry = planned.entry
            entry.settings = wish.settings
            let path = wish.path ?? BuiltProducts.library(wish.library)
            return WorkerSeat(
                entry: entry, file: content.file, path: path, note: note.value, dataDirectory: nil,
                access: planned.access(to: path))
        }
        #expect(seats.count == wishes.count)
        let lives = Atomic(0)
        let group = WorkerGroup(
            wishes.map(\.id), named: "shop", patience: patience, rules: SuperviseConfiguration()
        ) { links in
            let ids = links.map(\.id)
            lives.add(1, ordering: .relaxed)
            return try WorkerLife(
                BuiltProducts.program, for: seats.filter { ids.contains($0.entry.id) }, memory: nil,
                isDebugged: false)
        }
        let links = group.links
        group.launch()
        let dependencies = HostDependencies(
            clock: HostClock(clock: ContinuousClock()) { 0 }, dataDirectory: nil, report: { _ in })
        var outcome = Outcome()
        var instances: [GatehouseRuntime.Instance] = []
        for (planned, link) in zip(plan.instances, links) {
            do {
                instances.append(
                    try link.instance(as: planned, tree: StateTree(plain: [:]), dependencies: dependencies))
                outcome.ready.append(link.id)
                if let process = link.standing.process { outcome.processes.insert(process) }
            } catch let error as WorkerFailure {
                outcome.reasons[link.id] = error.reasons.joined(separator: "; ")
            } catch {
                outcome.reasons[link.id] = "\(error)"
            }
        }
        outcome.lives = lives.load(ordering: .relaxed)
        for link in links { link.end() }
        return outcome
    }

    @Test func `one that is refused, or does not take its settings, keeps no other one out`() throws {
        let found = try outcome(of: [
            Wish(id: "eu"), Wish(id: "refusing", library: "RefusingEntryPlugin"), Wish(id: "us"),
            Wish(id: "wrong", settings: ["start": "x"]), Wish(id: "asia", settings: ["start": 7]),
        ])
        #expect(found.ready == ["eu", "us", "asia"], "\(found.reasons)")
        #expect(found.reasons.keys.sorted() == ["refusing", "wrong"])
        #expect(found.processes.count == 1)
        #expect(found.lives == 1)
    }

    @Test func `the last one may be refused as well, and so may all`() throws {
        let last = try outcome(of: [
            Wish(id: "eu"), Wish(id: "refusing", library: "RefusingEntryPlugin"),
        ])
        #expect(last.ready == ["eu"], "\(last.reasons)")
        let all = try outcome(of: [
            Wish(id: "wrong", settings: ["start": "x"]), Wish(id: "refusing", library: "RefusingEntryPlugin"),
        ])
        #expect(all.ready == [])
        #expect(all.reasons.keys.sorted() == ["refusing", "wrong"])
    }

    @Test func `one that ends the process while it is loaded is left out of the next one`() throws {
        let found = try outcome(of: [
            Wish(id: "eu"), Wish(id: "deadly", path: BuiltProducts.library("RunsOnLoad")), Wish(id: "us"),
        ])
        #expect(found.ready == ["eu", "us"])
        #expect(found.reasons == ["deadly": "in a worker it called exit(42)"])
        #expect(found.lives == 2)
    }

    @Test func `one whose first state cannot be written is told at once`() throws {
        let found = try outcome(
            of: [Wish(id: "doomed", library: "DoomedPlugin", settings: ["isUnwritable": true])],
            patience: .seconds(10))
        #expect(found.ready == [])
        #expect(found.reasons == ["doomed": "in a worker it called exit(70)"])
    }

    @Test func `one that does not come back while it is loaded is left out of the next one`() throws {
        let folder = try TemporaryFolder()
        // Whoever opens it waits for somebody who writes.
        try #require(unsafe mkfifo(folder("libNever.so"), 0o600) == 0)
        let found = try outcome(
            of: [Wish(id: "eu"), Wish(id: "never", path: folder("libNever.so")), Wish(id: "us")],
            patience: .seconds(10))
        #expect(found.ready == ["eu", "us"], "\(found.reasons)")
        #expect(found.reasons == ["never": "in a worker it did not return within 10 s"])
        #expect(found.lives == 2)
    }

    @Test(arguments: [false, true])
    func `a death may be an open effect's doing, except for one that comes while an instance is made`(
        isAtStart: Bool
    ) throws {
        let group = WorkerGroup(["a"], patience: .seconds(300), rules: SuperviseConfiguration()) { _ in
            throw WorkerFailure(reasons: [])
        }
        let link = group.links[0]
        defer { link.end() }
        link.tell(.ready(WorkerLink.Instance(keepsState: false, stateVersion: 1, intercepts: false)))
        try link.traffic.withLock { traffic throws(FrameFailure) in
            _ = try traffic.finish(0, [(1, 11, .null)], [])
        }
        if isAtStart { group.content.withLock { $0.making = (link, .now) } }
        let life = try WorkerLife("/usr/bin/true", for: [], memory: nil, isDebugged: false)
        let outcome = life.child.follow(HostChild.Limits(time: .seconds(300)), stop: nil) { _ in true }
        group.settle(outcome, life, [link])
        #expect(link.traffic.withLock { $0.deaths } == 1)
        #expect(link.traffic.withLock { $0.effects[1]?.deaths } == (isAtStart ? 0 : 1))
    }

    @Test func `instances that end while their process is started stay known until that is over`() {
        let (begun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let group = WorkerGroup(["a"], patience: .seconds(300), rules: SuperviseConfiguration()) { _ in
            begun.signal()
            mayGoOn.wait()
            throw WorkerFailure(reasons: [])
        }
        group.launch()
        begun.wait()
        group.links[0].end()
        // Whoever starts it gives back what they listen at.
        #expect(group.links.count == 1)
        mayGoOn.signal()
    }
}
