// SPDX-License-Identifier: Apache-2.0

package import GatehouseSupport

/// What an action follows from: the input, or whatever else began its chain, and its place in that. The keys of its effects are made of it.
package struct ChainOrigin: Equatable, Sendable {
    /// The number of the input; 0 where something else began the chain.
    package var input: UInt64 = 0
    /// The epoch of the journal in which the first action of the chain was recorded, and the number of that action; both say nothing where
    /// there is an input.
    package var epoch: UInt64 = 0, first: UInt64 = 0
    /// Where it stands in the chain.
    package var place = ChainPlace.first

    /// What follows from an input.
    package init(input: UInt64) { self.input = input }

    /// What begins a chain that no input has begun.
    package init(epoch: UInt64, first: UInt64) { (self.epoch, self.first) = (epoch, first) }

    /// What another recorder has told.
    package init(input: UInt64, epoch: UInt64, first: UInt64, place: ChainPlace) {
        (self.input, self.epoch, self.first, self.place) = (input, epoch, first, place)
    }

    /// Reads what the key of an effect is made of; nil for a key of another journal, or of another kind.
    init?(key: String, of name: String) {
        guard key.hasPrefix(name + "-") else { return nil }
        let rest = key.dropFirst(name.count + 1)
        guard let dot = rest.firstIndex(of: ".") else { return nil }
        let numbers = rest[..<dot].split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        let place = rest[rest.index(after: dot)...].prefix { $0 != "-" }
        guard let place = UInt64(place, radix: 36), let number = numbers[0] else { return nil }
        switch numbers.count {
        case 1: self.init(input: number)
        case 2:
            guard let first = numbers[1] else { return nil }
            self.init(epoch: number, first: first)
        default: return nil
        }
        self.place = ChainPlace(number: place)
    }

    /// What the effects are called that an instance begins for the action.
    ///
    /// - Parameter name: that of the journal, or of the run.
    func key(of name: String, for instance: String) -> String {
        "\(name)-\(input == 0 ? "\(epoch)-\(first)" : "\(input)").\(place.text)-\(instance)"
    }
}

extension Frame {
    /// Reads an origin that a host has written for a worker.
    package mutating func origin() throws(FrameFailure) -> ChainOrigin {
        ChainOrigin(
            input: try number(), epoch: try number(), first: try number(),
            place: ChainPlace(number: try number()))
    }
}
