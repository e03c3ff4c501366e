// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// An action that an instance reduces after others have processed it, and does nothing else with.
package struct LateAction {
    /// The action under its local type.
    package let action: AnyAction
    /// Its global type.
    let type: ActionType
    /// When it came, in seconds since 1970; nil where that was not asked for.
    package let time: Double?
    /// Its number; 0 for none.
    package let sequence: UInt64

    /// An action that came to a host some time ago.
    package init(_ action: AnyAction, under type: ActionType, at time: Double?, as sequence: UInt64) {
        (self.action, self.type, self.time, self.sequence) = (action, type, time, sequence)
    }
}
