// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct DurationWordsTests {
    @Test(
        arguments: [
            (.seconds(10), "10 s"), (.milliseconds(500), "0.5 s"), (.zero, "0 s"), (.seconds(-2), "-2 s"),
            (.milliseconds(90_250), "90.25 s"),
        ] as [(Duration, String)])
    func `a duration is told in seconds, with a fraction where it has one`(duration: Duration, text: String) {
        #expect(duration.inSeconds == text)
    }
}
