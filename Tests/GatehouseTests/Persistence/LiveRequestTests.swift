// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

/// Whether a change of a live request's results can follow from those before.
@Suite struct LiveRequestTests {
    /// How many results there are after changes of so many; nil where the changes are of others.
    private func count(after count: Int, _ changes: CollectionDifference<String>.Change...) throws -> Int? {
        try #require(CollectionDifference(changes)).count(after: count)
    }

    @Test func `no change applies to any number of results`() throws {
        #expect(try count(after: 0) == 0)
        #expect(try count(after: 3) == 3)
    }

    @Test(arguments: [(0, 0, 1), (0, 1, nil), (2, 2, 3), (2, 3, nil)] as [(Int, Int, Int?)])
    func `something comes between the results, or at their end`(count: Int, offset: Int, after: Int?) throws {
        #expect(
            try self.count(after: count, .insert(offset: offset, element: "a", associatedWith: nil)) == after)
    }

    @Test(arguments: [(0, 0, nil), (1, 0, 0), (2, 1, 1), (2, 2, nil)] as [(Int, Int, Int?)])
    func `what goes has been there`(count: Int, offset: Int, after: Int?) throws {
        #expect(
            try self.count(after: count, .remove(offset: offset, element: "a", associatedWith: nil)) == after)
    }

    @Test func `what comes in the place of what goes needs no more room`() throws {
        #expect(
            try count(
                after: 1, .remove(offset: 0, element: "a", associatedWith: nil),
                .insert(offset: 0, element: "b", associatedWith: nil)) == 1)
    }
}
