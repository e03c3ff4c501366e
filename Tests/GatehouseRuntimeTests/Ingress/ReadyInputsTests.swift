// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What tells the thread that reads which inputs have something.
@Suite(.timeLimit(.minutes(10))) struct ReadyInputsTests {
    @Test func `each input has a number of its own`() {
        let inputs = ReadyInputs(waking: WakePipe())
        #expect((0..<100).map { _ in inputs.nextNumber() } == Array(1...100))
    }

    @Test func `events wake the thread that waits, and are taken once and in order`() {
        let attention = WakePipe()
        let inputs = ReadyInputs(waking: attention)
        for _ in 0..<2 {
            inputs.add(.ready(7))
            inputs.add(.ready(3))
            attention.wait()
            #expect(inputs.take().map(number) == [7, 3])
            #expect(inputs.take().isEmpty)
        }
    }

    /// The number in an event; 0 for another one.
    private func number(_ event: ReadyInputs.Event) -> Int {
        if case .ready(let number) = event { number } else { 0 }
    }
}
