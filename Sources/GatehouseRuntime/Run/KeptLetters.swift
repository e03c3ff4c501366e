// SPDX-License-Identifier: Apache-2.0

/// The dead letters that one entry has asked for, oldest first: to take one in, and to let the oldest go, cost the same however many
/// there are.
struct KeptLetters: Sendable {
    /// Their numbers in order, and those of some that are gone.
    private var ids: [Int64] = []
    /// Where the oldest stands; what is before it is passed.
    private var first = 0
    /// How many there are.
    private(set) var count = 0
    /// What they take together.
    private(set) var bytes = 0

    /// The number of the oldest, or of one that was older and is gone; nil when there is none.
    var oldest: Int64? { first < ids.count ? ids[first] : nil }

    /// Takes a letter in, whose number is above all others.
    mutating func insert(_ id: Int64, of size: Int) {
        ids.append(id)
        count += 1
        bytes += size
    }

    /// Takes note that one of them is gone, whichever it is.
    mutating func remove(of size: Int) {
        count -= 1
        bytes -= size
    }

    /// Whether most of the numbers are of letters that are gone.
    var isSparse: Bool { ids.count - first > 2 * count + 64 }

    /// Forgets the numbers of those that are gone.
    mutating func compact(_ isThere: (Int64) -> Bool) {
        ids = ids[first...].filter(isThere)
        first = 0
    }

    /// Goes on after the oldest, which is gone.
    mutating func passOldest() {
        first += 1
        guard first * 2 > ids.count else { return }
        ids.removeFirst(first)
        first = 0
    }
}
