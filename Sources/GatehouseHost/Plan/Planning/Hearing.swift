// SPDX-License-Identifier: Apache-2.0

/// How one action type concerns one instance.
///
/// The one place that decides who hears what: for the routes of a running host and for those of a plan.
struct Hearing: Equatable {
    /// The local name that the plugin hears the type by, nil when only the gate is concerned.
    let local: String?
    /// Whether the type may move the instance's gate.
    let isControl: Bool

    /// How a type concerns an instance with these names and types that move its gate; nil if not at all.
    init?(of type: String, names: LiftedNames, controls: [String]) {
        local = names.local(of: type)
        isControl = controls.contains { $0.utf8.elementsEqual(type.utf8) }
        if local == nil, !isControl { return nil }
    }
}
