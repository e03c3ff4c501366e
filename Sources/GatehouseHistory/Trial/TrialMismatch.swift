// SPDX-License-Identifier: Apache-2.0

/// Two consequences that belong together and are not the same, or one that has no counterpart, by their places on both sides.
///
/// Found before anything of them is parsed: of very many differences most are only counted.
struct TrialMismatch: Equatable, Sendable {
    /// The kind of difference.
    let kind: TrialDifference.Kind
    /// The place with the reference; nil for an added consequence.
    let before: Int?
    /// The place with the candidate; nil for a missing one.
    let now: Int?

    /// Compares the consequences of an action from the reference with those from the candidate.
    ///
    /// Where the two sequences disagree, actions of one type are matched in their order. Linear except for a sort.
    ///
    /// - Parameters:
    ///   - before: the places from the reference.
    ///   - now: the places from the candidate.
    ///   - typeBefore: returns the type at a place of the reference.
    ///   - typeNow: returns the type at a place of the candidate.
    ///   - areSame: returns whether the actions at a place of each are equal.
    /// - Returns: the mismatches in order.
    static func between<Name: Hashable>(
        _ before: Range<Int>, _ now: Range<Int>, typeBefore: (Int) -> Name, typeNow: (Int) -> Name,
        areSame: (Int, Int) -> Bool
    ) -> [TrialMismatch] {
        var (before, now) = (before, now)
        while let one = before.first, let other = now.first, areSame(one, other) {
            before.removeFirst()
            now.removeFirst()
        }
        while let one = before.last, let other = now.last, areSame(one, other) {
            before.removeLast()
            now.removeLast()
        }
        // By far the most frequent: one action with other content.
        if before.count == 1, now.count == 1, typeBefore(before.lowerBound) == typeNow(now.lowerBound) {
            return [TrialMismatch(kind: .changed, before: before.lowerBound, now: now.lowerBound)]
        }
        guard !before.isEmpty || !now.isEmpty else { return [] }
        var waiting: [Name: [Int]] = [:]
        for place in now.reversed() { waiting[typeNow(place), default: []].append(place) }
        var found: [(order: Int, mismatch: TrialMismatch)] = []
        for place in before {
            let other = waiting[typeBefore(place)]?.popLast()
            if let other, areSame(place, other) { continue }
            found.append(
                (
                    2 * (place - before.lowerBound),
                    TrialMismatch(kind: other == nil ? .missing : .changed, before: place, now: other)
                ))
        }
        for place in waiting.values.joined() {
            found.append(
                (2 * (place - now.lowerBound) + 1, TrialMismatch(kind: .added, before: nil, now: place)))
        }
        if found.isEmpty { return [TrialMismatch(kind: .reordered, before: before.first, now: now.first)] }
        return found.sorted { $0.order < $1.order }.map(\.mismatch)
    }
}
