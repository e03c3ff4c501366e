// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
package import GatehouseSDK
package import GatehouseValue

/// The names that belong to the host itself: the id `host`, the types below `host/` and the slice `/host`.
package enum ReservedNames {
    /// The id that no instance may have, since its default slice and prefix would be the host's.
    package static let identifier = "host"
    /// The beginning of every host action's type.
    package static let typePrefix = "host/"
    /// The slice in which the host reports.
    package static let slice = JSONPointer(tokens: [identifier])

    /// Whether a type is one of the host's own.
    package static func isForHost(_ type: String) -> Bool { type.utf8.starts(with: typePrefix.utf8) }
}

/// What is special about the names of host actions.
extension TypePattern {
    /// Whether the pattern names host actions: only one that spells out `host/` does.
    package var isForHost: Bool { ReservedNames.isForHost(stem) }

    /// Whether a global type is let in: it is covered, and one below `host/` by a pattern that spells out `host/`.
    ///
    /// Linear in the stem's length.
    package func admits(_ type: String) -> Bool {
        covers(type) && (!isOpen || isForHost || !ReservedNames.isForHost(type))
    }
}

/// The types of the host's own actions.
package enum HostActions {
    /// Opens the gate of the instance whose id is the payload.
    package static let openGate = ActionType("host/gate/open")
    /// Closes the gate of the instance whose id is the payload.
    package static let closeGate = ActionType("host/gate/close")
    /// Merges the payload, a JSON merge patch, into the plain state.
    package static let mergeState = ActionType("host/state/merge")

    /// Looks at the configuration again; has no payload.
    package static let reload = ActionType("host/reload")

    /// Tells of an effect that the end of a run before has interrupted; only the host sends it.
    package static let effectInterrupted = ActionType("host/effect/interrupted")

    /// What is told of an effect that was interrupted: its name, its instance, and the number of the action that had started it.
    package static func interrupted(_ key: String, of instance: String, after action: UInt64) -> AnyAction {
        AnyAction(
            effectInterrupted,
            payload: [
                "key": .string(key), "instance": .string(instance), "action": Value(Int(action)),
            ])
    }

    /// Every type below `host/` that does something.
    package static let all = [openGate, closeGate, mergeState, reload]
}
