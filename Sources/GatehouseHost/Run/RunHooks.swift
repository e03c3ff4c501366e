// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Who hears what passes a host besides its instances: who prints, and who watches; called in the drain.
struct RunHooks {
    /// Told about each action, before the instances; nil while nobody wants to know.
    var onAction: ((DispatchedAction<AnyAction>) -> Void)?
    /// Told about each action that an instance applies to its own state, under its local name; told to `onAction` before.
    var onOwnAction: ((AnyAction) -> Void)?
    /// Told after each action that changed the state; nil while nobody wants to know.
    var onChange: (() -> Void)?
}
