// SPDX-License-Identifier: Apache-2.0

/// An action that a plugin's action type cannot take, or something of its own that cannot be had as JSON.
public enum Misfit: Error, Sendable {
    /// An action for the plugin whose payload does not decode; the plugin does not see it.
    case unreadable(AnyAction, CodingFailure)
    /// An output of the plugin that does not encode; it is lost.
    case unwritable(CodingFailure)
    /// A state that a foreign plugin has made of an action, and that is none; the one before stays.
    case unusableState(AnyAction, CodingFailure)
}

extension Misfit: CustomStringConvertible {
    /// What does not fit, and why.
    public var description: String {
        switch self {
        case .unreadable(let action, let failure): "\(action.type): \(failure)"
        case .unusableState(let action, let failure): "the state after \(action.type): \(failure)"
        case .unwritable(let failure): "an output cannot be written as JSON: \(failure)"
        }
    }
}
