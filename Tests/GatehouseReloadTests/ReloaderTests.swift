// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehouseControl
@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseSupport

/// How requests to reload follow each other.
@Suite(.timeLimit(.minutes(10))) struct ReloaderTests {
    /// A host with one instance, its reloader, and what that tells.
    private struct Scene: Sendable {
        let host: ReloadedHost
        let reloader: Reloader
        let told: Told

        init() async throws {
            let host = try await TestThread.value {
                try ReloadedHost(Scene.configuration("a"), libraries: ["CounterPlugin"])
            }
            let told = Told()
            self.host = host
            self.told = told
            reloader = Reloader(host.procedure, release: { digest in told.add("released \(digest)") }) {
                event in
                switch event {
                case .begun: told.add("begun")
                case .idle: told.add("idle")
                case .ended(let outcome): told.add(outcome.isApplied ? "applied" : "\(outcome)")
                }
            }
        }

        /// Why a library in quarantine does not catch up; nil where it does.
        func refusalToCatchUp() async -> ControlError? {
            do throws(ControlError) {
                let _: ReloadOutcome = try await reloader.release(catchingUp: "aa")
                return nil
            } catch {
                return error
            }
        }

        /// The configuration of one counter.
        static func configuration(_ id: String) -> String {
            #"{ "directory": ".", "plugins": [{ "id": "\#(id)", "library": "libCounterPlugin.so" }] }"#
        }
    }

    /// What a reloader tells, in order.
    private final class Told: Sendable {
        private let events = Mutex<[String]>([])
        func add(_ event: String) { events.withLock { $0.append(event) } }
        /// All of it since the last call.
        func take() -> [String] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    @Test func `a reload is told when it begins and ends, and the last outcome is known`() async throws {
        let scene = try await Scene()
        scene.host.write(Scene.configuration("b"))
        let outcome = try await scene.reloader.reload(.control)
        #expect(outcome.isApplied && outcome.triggers == [.control])
        #expect(scene.told.take() == ["begun", "applied"])
        #expect(await scene.reloader.last?.generation == 2)
        #expect(scene.host.ids == ["b"])
    }

    @Test func `a file that was touched is nothing to tell of, but one that was mended is`() async throws {
        let scene = try await Scene()
        _ = try await scene.reloader.reload(.change)
        #expect(scene.told.take() == ["begun", "idle"])
        #expect(await scene.reloader.last == nil)
        scene.host.write(#"{ "directory": ".", "plugins": [{ "id": "a", "library": "libNo.so" }] }"#)
        _ = try await scene.reloader.reload(.change)
        #expect(scene.told.take() == ["begun", "the change is refused, generation 1 runs on"])
        scene.host.write(Scene.configuration("a"))
        _ = try await scene.reloader.reload(.change)
        #expect(scene.told.take() == ["begun", "nothing has changed, generation 1 runs on"])
        _ = try await scene.reloader.reload(.change)
        #expect(scene.told.take() == ["begun", "idle"])
    }

    @Test func `without a journal nothing can catch up, and the quarantine stays`() async throws {
        let scene = try await Scene()
        #expect(
            await scene.refusalToCatchUp()
                == .refused(
                    "the host keeps no journal, so it is unknown what was missed; release it without --catch-up"
                ))
        #expect(scene.told.take() == [])
        #expect(await scene.reloader.last == nil)
        // The next one has its turn.
        _ = try await scene.reloader.reload(.change)
        #expect(scene.told.take() == ["begun", "idle"])
    }

    @Test func `once another process goes on, reloads are refused, and signals handed on`() async throws {
        let scene = try await Scene()
        scene.host.write(Scene.configuration("b"))
        let passed = Told()
        let requests = Mutex<[Task<String, Never>]>([])
        try await scene.reloader.exclusively({
            // They wait for their turn until this is over.
            let reloader = scene.reloader
            for trigger in [ReloadTrigger.control, .signal] {
                let request = Task {
                    do throws(ControlError) {
                        return
                            "\(try await reloader.reload(trigger, expecting: trigger == .signal ? 1 : nil))"
                    } catch {
                        return error.message
                    }
                }
                requests.withLock { $0.append(request) }
            }
        }) { _ in { passed.add($0.rawValue) } }
        for request in requests.withLock({ $0 }) {
            #expect(
                await request.value == "another process goes on for this host; nothing was done, ask again")
        }
        #expect(Set(passed.take()) == ["control", "signal"])
        for _ in 0..<2 {
            do throws(ControlError) {
                let outcome = try await scene.reloader.reload(.signal)
                Issue.record("\(outcome)")
            } catch {
                #expect(error == .handedOver)
            }
            #expect(passed.take() == ["signal"])
        }
        let refusal = await scene.refusalToCatchUp()
        #expect(refusal == .handedOver)
        #expect(refusal?.message == "another process goes on for this host; nothing was done, ask again")
        #expect(scene.told.take() == [])
        #expect(scene.host.ids == ["a"])
    }

    @Test func `what is done exclusively is done while nothing else is, no reload either`() async throws {
        let scene = try await Scene()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try? await scene.reloader.exclusively({
                        scene.told.add("in")
                        // Lets others come in between.
                        for _ in 0..<1_000 { sched_yield() }
                        scene.told.add("out")
                    })
                }
                if number == 10 { group.addTask { _ = try? await scene.reloader.reload(.change) } }
            }
        }
        let told = scene.told.take()
        let pairs = stride(from: 0, to: told.count, by: 2).map { Array(told[$0...].prefix(2)) }
        #expect(pairs.filter { $0 == ["in", "out"] }.count == 20, "\(told)")
        #expect(pairs.filter { $0 == ["begun", "idle"] }.count == 1, "\(told)")
    }
}
