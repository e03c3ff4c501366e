// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import Gatehouse
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// A run that stands still for whoever asks.
@Suite(.timeLimit(.minutes(10))) struct StandstillTests {
    /// A host without plugins.
    private let host: Host

    init() throws {
        host = Host(
            try .empty(),
            reports: Reporter { _ in }
        ) { _ in }
    }

    @Test func `a request is there until it is heard or taken back`() {
        let standstill = Standstill(waking: WakePipe())
        #expect(!standstill.isAsked && !standstill.withdraw())
        standstill.ask({ _ in .resumed }, orElse: { _ in })
        #expect(standstill.isAsked)
        #expect(standstill.withdraw())
        #expect(!standstill.isAsked && !standstill.withdraw())
    }

    @Test func `a run that nobody asks, or that is to go on, goes on`() {
        #expect(!host.standStill(nil))
        let heard = Heard()
        host.standstill.ask(
            { handed in
                heard.numbers.withLock { $0.append(handed.count) }
                return .resumed
            }, orElse: { _ in })
        #expect(!host.standStill(nil))
        #expect(heard.numbers.withLock { $0 } == [0])
        #expect(!host.standstill.isAsked)
        #expect(!host.standStill(nil))
        #expect(host.admission is DirectAdmission)
    }

    @Test func `a run that stands still is not taken for a hang until it goes on`() {
        let recorder = host.progress.flightRecorder
        let heard = Heard()
        host.standstill.ask(
            { _ in
                heard.numbers.withLock { $0.append(recorder.hasLongWork ? 1 : 0) }
                return .resumed
            }, orElse: { _ in })
        #expect(!host.standStill(nil))
        #expect(heard.numbers.withLock { $0 } == [1])
        #expect(!recorder.hasLongWork)
    }

    @Test func `a host whose drain is busy does not stand still, and says why`() throws {
        host.store.patience = .milliseconds(50)
        let heard = Refusals()
        host.standstill.ask({ _ in .handedOver(Refusing()) }, orElse: { heard.add($0) })
        let (busy, free) = (WakePipe(), WakePipe())
        let worker = try TestThread { [queue = host.queue] in
            queue.enqueue {
                busy.wake()
                free.wait()
            }
        }
        busy.wait()
        #expect(!host.standStill(nil))
        #expect(heard.sentences == ["the host has been busy with actions for 0.05 s"])
        #expect(host.admission is DirectAdmission)
        free.wake()
        try worker.join()
        #expect(host.store.turn?.number == 1)
    }

    @Test func `what follows from what came before is done before the host stands still`() throws {
        let heard = Heard()
        let (busy, free) = (WakePipe(), WakePipe())
        let store = host.store
        // An action is followed by another one.
        store.hooks = RunHooks(onAction: { [unowned store] dispatched in
            heard.numbers.withLock { $0.append(dispatched.action.type == "first" ? 1 : 2) }
            if dispatched.action.type == "first" {
                store.queue.append(DispatchedAction(AnyAction("second"), dispatcher: dispatched.dispatcher))
            }
        })
        let worker = try TestThread {
            store.queue.enqueue {
                busy.wake()
                free.wait()
            }
        }
        busy.wait()
        store.dispatch(AnyAction("first"))
        host.standstill.ask(
            { _ in
                heard.numbers.withLock { $0.append(3) }
                return .handedOver(Refusing())
            }, orElse: { _ in })
        let releaser = try TestThread {
            // It waits for its turn by then.
            while store.queue.mailbox.count.load(ordering: .relaxed) < 2 { sched_yield() }
            free.wake()
        }
        #expect(host.standStill(nil))
        try releaser.join()
        try worker.join()
        #expect(heard.numbers.withLock { $0 } == [1, 2, 3])
    }

    @Test func `a run that hands over takes actions by what the other process offers`() {
        host.standstill.ask({ _ in .handedOver(Refusing()) }, orElse: { _ in })
        #expect(host.standStill(nil))
        #expect(host.admission is Refusing)
    }

    /// Numbers that were seen while a run stood still.
    private final class Heard: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    /// Why runs did not stand still.
    private final class Refusals: Sendable {
        private let told = Mutex<[String]>([])
        var sentences: [String] { told.withLock { $0 } }
        func add(_ sentence: String) { told.withLock { $0.append(sentence) } }
    }

    /// Takes nothing.
    private final class Refusing: Admission {
        var keepsFirst: Bool { false }
        var isFull: Bool { true }

        func take(
            _ action: consuming AnyAction, _ text: ActionText?, from source: ActionSource,
            to store: HostStore
        ) -> Bool { false }

        func dispatchTaken(to store: HostStore) throws(IngressError) {}
        func finish() throws(IngressError) {}
    }
}
