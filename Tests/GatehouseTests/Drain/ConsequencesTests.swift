// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

/// What one input has led to, and what of it is left for the next.
@Suite(.timeLimit(.minutes(10)))
struct ConsequencesTests {
    private let consequences = Consequences<Int>()

    /// Expects that nothing is known of an input.
    private func expectNothing(_ comment: Comment) {
        #expect(consequences.input == nil, comment)
        #expect((consequences.count, consequences.bytes) == (0, 0), comment)
        #expect(consequences.outstanding == 1, comment)
        #expect(!consequences.isOwn && !consequences.isMarked, comment)
        #expect(consequences.told == nil, comment)
    }

    @Test func `nothing is known of an input at first, and nothing of the last one when the next one comes`()
    {
        expectNothing("new")
        for round in 1...3 {
            consequences.input = round
            consequences.count = 5
            consequences.bytes = 6
            consequences.outstanding = 7
            consequences.isOwn = true
            consequences.note(10 * round)
            consequences.drop(.actions, limit: 3)
            #expect(consequences.told?.recent == [10 * round])
            #expect(consequences.told?.dropped == 1)
            consequences.reset()
            expectNothing("round \(round)")
            // What was dropped is forgotten too.
            consequences.input = 0
            #expect(consequences.told == nil)
            consequences.reset()
        }
    }

    @Test func `the first limit is told, with what came before it and the number of all that was dropped`() {
        consequences.input = 1
        for element in 2...4 { consequences.note(element) }
        #expect(consequences.isMarked)
        #expect(consequences.told == nil)
        consequences.drop(.actions, limit: 3)
        consequences.note(5)
        consequences.drop(.chain, limit: 9, chain: [7, 8])
        consequences.drop(.bytes, limit: 10, chain: [9])
        let told = consequences.told
        #expect(told?.kind == .actions)
        #expect(told?.limit == 3)
        #expect(told?.input == 1)
        #expect(told?.recent == [2, 3, 4])
        #expect(told?.dropped == 3)
    }

    @Test func `a chain is told instead of what came before, and marks an input by itself`() {
        consequences.note(2)
        consequences.reset()
        consequences.drop(.chain, limit: 9, chain: [7, 8])
        #expect(consequences.isMarked)
        #expect(consequences.told == nil, "not before the input is known")
        consequences.input = 1
        #expect(consequences.told?.recent == [7, 8])
        #expect(consequences.told?.dropped == 1)
    }
}
