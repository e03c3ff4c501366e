// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// Who hears what passes a host besides its instances: who prints, and who watches; called in the drain.
package struct RunHooks {
    /// Told about each action, before the instances; nil while nobody wants to know.
    package var onAction: ((DispatchedAction<AnyAction>) -> Void)?
    /// Told about each action that an instance applies to its own state, under its local name; told to `onAction` before.
    package var onOwnAction: ((AnyAction) -> Void)?
    /// Told after each action that changed the state; nil while nobody wants to know.
    package var onChange: (() -> Void)?

    /// Calls for the moments of a run; none by default.
    package init(
        onAction: ((DispatchedAction<AnyAction>) -> Void)? = nil, onOwnAction: ((AnyAction) -> Void)? = nil,
        onChange: (() -> Void)? = nil
    ) {
        self.onAction = onAction
        self.onOwnAction = onOwnAction
        self.onChange = onChange
    }
}
