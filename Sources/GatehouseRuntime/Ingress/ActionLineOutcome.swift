// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The outcome for one line of input.
package enum ActionLineOutcome {
    /// The line is an action; releasing it before the next line saves an allocation, but it may be kept.
    case action(AnyAction)

    /// The line is an action with a type of the host, which input may carry only with permission.
    case hostAction(AnyAction)

    /// Only white space, neither an action nor a mistake: files often end with an empty line, and a sender
    /// may keep a connection alive with them; count it separately.
    case blank

    /// The line is not an action, for this reason.
    indirect case rejected(ActionRejection)
}
