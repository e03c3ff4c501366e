// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

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
        standstill.ask { _ in .resumed }
        #expect(standstill.isAsked)
        #expect(standstill.withdraw())
        #expect(!standstill.isAsked && !standstill.withdraw())
    }

    @Test func `a run that nobody asks, or that is to go on, goes on`() {
        #expect(!host.standStill(nil))
        let heard = Heard()
        host.standstill.ask { handed in
            heard.numbers.withLock { $0.append(handed.count) }
            return .resumed
        }
        #expect(!host.standStill(nil))
        #expect(heard.numbers.withLock { $0 } == [0])
        #expect(!host.standstill.isAsked)
        #expect(!host.standStill(nil))
        #expect(host.admission is DirectAdmission)
    }

    @Test func `a run that stands still is not taken for a hang until it goes on`() {
        let recorder = host.progress.flightRecorder
        let heard = Heard()
        host.standstill.ask { _ in
            heard.numbers.withLock { $0.append(recorder.hasLongWork ? 1 : 0) }
            return .resumed
        }
        #expect(!host.standStill(nil))
        #expect(heard.numbers.withLock { $0 } == [1])
        #expect(!recorder.hasLongWork)
    }

    @Test func `a run that hands over takes actions by what the other process offers`() {
        host.standstill.ask { _ in .handedOver(Refusing()) }
        #expect(host.standStill(nil))
        #expect(host.admission is Refusing)
    }

    /// Numbers that were seen while a run stood still.
    private final class Heard: Sendable {
        let numbers = Mutex<[Int]>([])
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
