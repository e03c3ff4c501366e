// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

/// The slices claimed so far, as a tree of pointer tokens: an overlap is found in the time of one walk down.
struct SliceOwners {
    /// One slice and who wants it.
    struct Claim {
        /// The place in the state.
        let slice: JSONPointer
        /// The instance that claims it.
        let id: String
        /// The line of the file that says so.
        let line: Int
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

    /// Adds a claim; returns an earlier one that contains it or lies in it, nil if it stands alone.
    mutating func add(_ claim: Claim) -> Claim? {
        var overlap: Claim?
        var index = 0
        for token in claim.slice.tokens {
            overlap = overlap ?? nodes[index].owner
            nodes[index].firstBelow = nodes[index].firstBelow ?? claim
            if let child = nodes[index].children[token] {
                index = child
            } else {
                nodes.append(Node())
                nodes[index].children[token] = nodes.count - 1
                index = nodes.count - 1
            }
        }
        overlap = overlap ?? nodes[index].owner ?? nodes[index].firstBelow
        nodes[index].owner = nodes[index].owner ?? claim
        return overlap
    }
}
