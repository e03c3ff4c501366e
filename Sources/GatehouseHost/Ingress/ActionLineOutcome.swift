// SPDX-License-Identifier: Apache-2.0

/// What became of one line of input.
public enum ActionLineOutcome {
    /// The line is an action.
    case action(ParsedAction)

    /// The line holds nothing but white space. It is no action and no mistake: files often end with an empty
    /// line, and a sender may keep a connection alive with them. Count it apart.
    case blank

    /// The line is not an action, for this reason.
    case rejected(ActionRejection)
}
