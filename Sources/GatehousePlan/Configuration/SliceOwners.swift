// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

/// The slices claimed so far, as a tree of pointer tokens: an overlap is found in the time of one walk down.
///
/// Asked each time by who knows more: of what the file writes, of the instances that are known to keep state, and of those
/// that turn out to.
struct SliceOwners {
    /// One slice and who wants it.
    struct Claim {
        /// The place in the state.
        let slice: JSONPointer
        /// The instance that claims it.
        let id: String
        /// The line of the file that says so, 0 where it is not written.
        var line = 0
    }

    /// One place of the state.
    private struct Node {
        /// The indexes of the places below, by token.
        var children: [String: Int] = [:]
        /// Who claimed exactly this place first.
        var owner: Claim?
        /// Who claimed a place below this one first.
        var firstBelow: Claim?
    }

    /// All places; the first is the whole state.
    private var nodes = [Node()]

    /// An earlier claim that contains a slice or lies in it; nil if the slice stands alone.
    func rival(of slice: JSONPointer) -> Claim? {
        var index = 0
        for token in slice.tokens {
            if let owner = nodes[index].owner { return owner }
            guard let child = nodes[index].children[token] else { return nil }
            index = child
        }
        return nodes[index].owner ?? nodes[index].firstBelow
    }

    /// Adds a claim, whatever it overlaps with.
    mutating func add(_ claim: Claim) {
        var index = 0
        for token in claim.slice.tokens {
            nodes[index].firstBelow = nodes[index].firstBelow ?? claim
            if let child = nodes[index].children[token] {
                index = child
            } else {
                nodes.append(Node())
                nodes[index].children[token] = nodes.count - 1
                index = nodes.count - 1
            }
        }
        nodes[index].owner = nodes[index].owner ?? claim
    }
}
