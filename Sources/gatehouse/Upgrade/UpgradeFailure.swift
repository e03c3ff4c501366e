// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Why no other process goes on for a host, as a sentence without an end mark.
struct UpgradeFailure: Error, CustomStringConvertible {
    /// The sentence.
    let description: String

    /// Creates a failure with a sentence.
    init(_ sentence: String) { description = sentence }

    /// A successor that did not come as far as it should have.
    ///
    /// - Parameter phase: what it was doing, such as "before it was prepared".
    init(_ successor: Successor, _ silence: UpgradeLink.Silence, _ phase: String) {
        let words = successor.end()
        switch silence {
        case .ended:
            description =
                "the new host (process \(successor.process)) \(words) \(phase); its messages say why"
        case .late:
            description = "the new host (process \(successor.process)) took too long \(phase), and \(words)"
        case .unknown(let word):
            description =
                "the new host (process \(successor.process)) said \(word) \(phase), which this one does not know; it \(words)"
        }
    }
}
