// SPDX-License-Identifier: Apache-2.0

/// An action that does not fit a plugin's action type, or an output that does not fit JSON.
public enum Misfit: Error, Sendable {
    /// The payload of an action does not decode; the plugin does not see the action.
    case unreadable(AnyAction, CodingFailure)
    /// An output of the plugin does not encode; it is lost.
    case unwritable(CodingFailure)
    /// A foreign plugin answered an action with an invalid state; the previous one stays.
    case unusableState(AnyAction, CodingFailure)
}

extension CodingFailure {
    /// Runs a plugin's code; whatever that throws becomes a failure of coding.
    @inlinable
    static func catching<Result>(_ body: () throws -> Result) throws(CodingFailure) -> Result {
        do {
            return try body()
        } catch {
            throw CodingFailure(error)
        }
    }
}

extension Misfit: CustomStringConvertible {
    /// The value that does not fit, and why.
    public var description: String {
        switch self {
        case .unreadable(let action, let failure): "\(action.type): \(failure)"
        case .unusableState(let action, let failure): "the state after \(action.type): \(failure)"
        case .unwritable(let failure): "an output cannot be written as JSON: \(failure)"
        }
    }
}
