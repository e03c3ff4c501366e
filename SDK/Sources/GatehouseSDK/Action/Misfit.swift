// SPDX-License-Identifier: Apache-2.0

/// An action that a plugin's action type cannot take, or one of its own that cannot be given a wire form.
public enum Misfit: Error, Sendable {
    /// An action for the plugin whose payload does not decode; the plugin does not see it.
    case unreadable(AnyAction, CodingFailure)
    /// An output of the plugin that does not encode; it is lost.
    case unwritable(CodingFailure)
}

extension Misfit: CustomStringConvertible {
    /// What does not fit, and why.
    public var description: String {
        switch self {
        case .unreadable(let action, let failure): "\(action.type): \(failure)"
        case .unwritable(let failure): "an output cannot be written as JSON: \(failure)"
        }
    }
}
