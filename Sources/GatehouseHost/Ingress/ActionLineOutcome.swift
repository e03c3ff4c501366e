// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// What became of one line of input.
public enum ActionLineOutcome {
    /// The line is an action. Letting go of it before the next line saves an allocation; it may be kept.
    case action(AnyAction)

    /// The line is an action with a type that belongs to the host, which input may carry only with permission.
    case hostAction(AnyAction)

    /// The line holds nothing but white space. It is no action and no mistake: files often end with an empty
    /// line, and a sender may keep a connection alive with them. Count it apart.
    case blank

    /// The line is not an action, for this reason.
    indirect case rejected(ActionRejection)
}
