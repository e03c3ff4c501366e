// SPDX-License-Identifier: Apache-2.0

/// What simulations have met so far.
package struct HostCoverage: Equatable, Sendable {
    /// The occurrences by name.
    package private(set) var counts: [String: UInt64] = [:]

    /// Nothing yet.
    package init() {}

    /// Counts an occurrence.
    mutating func count(_ name: String, _ number: UInt64 = 1) {
        if number > 0 { counts[name, default: 0] += number }
    }

    /// Takes over what another simulation has met.
    package mutating func add(_ other: HostCoverage) {
        counts.merge(other.counts) { $0 + $1 }
    }

    /// The occurrences in the order of their names, one line each.
    package var lines: [String] {
        let width = counts.values.map { "\($0)".count }.max() ?? 0
        return counts.sorted { $0.key < $1.key }.map { name, number in
            String(repeating: " ", count: width - "\(number)".count) + "\(number)  \(name)"
        }
    }
}
