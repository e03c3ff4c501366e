// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseValue

/// Selects the actions and state changes of a watch; without any parts, all actions pass.
struct WatchFilter: Sendable {
    /// The types of the actions; nil for all.
    var types: [TypePattern]?
    /// The emitting instances; nil for any source, input included.
    var instances: [String]?
    /// The places of the state whose changes are reported.
    var pointers: [JSONPointer] = []
    /// Whether actions are reported too that came to nothing.
    var hearsTurnedAway = false

    /// Whether any action passes; a filter with only places of the state selects no actions.
    var hearsActions: Bool { types != nil || instances != nil || pointers.isEmpty }

    /// Whether actions of a type may pass.
    func covers(type: String) -> Bool { hearsActions && (types?.contains { $0.covers(type) } ?? true) }

    /// Whether an action passes that an instance emitted; nil for input.
    func covers(emitter: String?) -> Bool {
        instances.map { list in emitter.map(list.contains) ?? false } ?? true
    }
}
