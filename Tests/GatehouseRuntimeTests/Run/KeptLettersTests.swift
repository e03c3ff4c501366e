// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// The dead letters of one entry, by their numbers.
@Suite struct KeptLettersTests {
    /// Letters with the numbers from 1 to a last one, of 10 bytes each.
    private func letters(_ count: Int64) -> KeptLetters {
        var letters = KeptLetters()
        for id in 1...count { letters.insert(id, of: 10) }
        return letters
    }

    @Test func `letters are counted with their bytes while they are there`() {
        var letters = letters(3)
        #expect(letters.count == 3 && letters.bytes == 30 && letters.oldest == 1)
        letters.remove(of: 10)
        #expect(letters.count == 2 && letters.bytes == 20)
        letters.remove(of: 10)
        letters.remove(of: 10)
        #expect(letters.count == 0 && letters.bytes == 0)
        #expect(KeptLetters().oldest == nil)
    }

    @Test func `the oldest are passed in their order, one at a time`() {
        var letters = letters(5)
        var passed: [Int64?] = []
        for _ in 0..<5 {
            passed.append(letters.oldest)
            letters.passOldest()
        }
        #expect(passed == [1, 2, 3, 4, 5])
        #expect(letters.oldest == nil)
        letters.insert(6, of: 10)
        #expect(letters.oldest == 6)
    }

    @Test func `numbers of letters that are gone are forgotten, and of those that were passed too`() {
        var letters = letters(8)
        letters.passOldest()
        letters.passOldest()
        letters.compact { $0 % 2 == 0 }
        var left: [Int64] = []
        while let oldest = letters.oldest {
            left.append(oldest)
            letters.passOldest()
        }
        #expect(left == [4, 6, 8])
    }

    @Test func `most are gone where more than twice the rest and 64 are numbered`() {
        var letters = letters(100)
        for _ in 0..<82 { letters.remove(of: 10) }
        // Of 100 numbers 18 are there, for which there may be 100.
        #expect(letters.count == 18 && !letters.isSparse)
        letters.remove(of: 10)
        #expect(letters.count == 17 && letters.isSparse)
        letters.passOldest()
        #expect(letters.isSparse)
        letters.passOldest()
        #expect(!letters.isSparse)
        var few = self.letters(65)
        for _ in 0..<65 { few.remove(of: 10) }
        #expect(few.isSparse)
    }
}
