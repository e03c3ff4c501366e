// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPClientPlugin

/// The pauses between the attempts of a request.
@Suite struct RetryPauseTests {
    /// The pauses after an attempt of requests with many keys.
    private func pauses(after attempt: Int, requested: Double = 0) -> [Double] {
        (0..<500).map { key in
            var pause = RetryPause(first: 2, maximum: 10, key: "\(key)")
            return pause.pause(after: attempt, requested: requested)
        }
    }

    @Test(arguments: [(1, 2), (2, 4), (3, 8), (4, 10), (60, 10), (Int.max, 10)] as [(Int, Double)])
    func `a pause is any up to twice the one before, and up to the maximum`(attempt: Int, longest: Double) {
        let pauses = pauses(after: attempt)
        #expect(pauses.allSatisfy { (0...longest).contains($0) })
        // Chance would leave out a tenth of the range once in 10 to the 22nd runs.
        #expect((pauses.max() ?? 0) > 0.9 * longest && (pauses.min() ?? longest) < 0.1 * longest)
    }

    @Test func `what a service asks for is waited in full before`() {
        #expect(pauses(after: 1, requested: 30).allSatisfy { (30...32).contains($0) })
    }

    @Test func `the same key makes the same pauses, and each attempt another one`() {
        var (one, other) = (
            RetryPause(first: 2, maximum: 2, key: "a"), RetryPause(first: 2, maximum: 2, key: "a")
        )
        let pauses = (1...5).map { one.pause(after: $0) }
        #expect(pauses == (1...5).map { other.pause(after: $0) })
        #expect(Set(pauses).count == 5)
    }
}
