// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// Gives slices their places, in chain order, in a state that has plain values too.
///
/// Asked by a plan about the plugins that are known to keep state, and by a start about all that do.
package struct SliceClaims {
    /// The slices so far.
    private var owners = SliceOwners()
    /// The plain state of the configuration.
    private let plain: Value

    /// Claims of which there is none yet, beside the plain state.
    package init(in plain: Value) { self.plain = plain }

    /// Claims a place for an instance.
    ///
    /// - Returns: why its slice cannot stand there; nil when it does.
    package mutating func claim(_ slice: JSONPointer, for id: String) -> String? {
        if let other = owners.rival(of: slice) {
            return
                "the slice \(slice) overlaps the slice \(other.slice) of \(other.id); give one of them another \"lift\"/\"state\""
        }
        if plain[slice] == nil {
            var probe = plain
            guard probe.set(true, at: slice) else {
                return
                    "\"state\" has a plain value on the way to \(slice), where \(id) keeps its slice; remove one of them"
            }
        }
        owners.add(SliceOwners.Claim(slice: slice, id: id))
        return nil
    }
}
