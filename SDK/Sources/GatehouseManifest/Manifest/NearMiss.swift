// SPDX-License-Identifier: Apache-2.0

/// Finds the word that was probably meant.
public enum NearMiss {
    /// Returns the candidate closest to a mistyped word, if one is close enough to suggest.
    ///
    /// Close enough is one edit for words of up to six letters and one more for each further three; case does
    /// not count. An edit inserts, removes or replaces one character or swaps two neighbours. Of equally
    /// close candidates the first wins; the word itself is never suggested.
    ///
    /// - Complexity: the length of the word times the total length of the candidates of similar length.
    public static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
        let lowered = Array(word.lowercased())
        let limit = max(1, (lowered.count - 1) / 3)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates where candidate != word {
            let other = Array(candidate.lowercased())
            guard !other.isEmpty, abs(other.count - lowered.count) <= limit else { continue }
            let distance = distance(from: lowered, to: other)
            // A word with every letter changed is another word, however short.
            guard distance <= limit, distance < max(lowered.count, other.count) else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// Returns the number of edits that turn one text into the other, each stretch edited at most once.
    static func distance(from first: [Character], to second: [Character]) -> Int {
        guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
        // Three rows of the usual table: a swap looks back two rows.
        var beforePrevious: [Int] = []
        var previous = Array(0...second.count)
        for row in 1...first.count {
            var current = [row]
            for column in 1...second.count {
                let replaces = first[row - 1] == second[column - 1] ? 0 : 1
                var cost = min(
                    previous[column] + 1, current[column - 1] + 1, previous[column - 1] + replaces)
                if row > 1, column > 1, first[row - 1] == second[column - 2],
                    first[row - 2] == second[column - 1]
                {
                    cost = min(cost, beforePrevious[column - 2] + 1)
                }
                current.append(cost)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
