// SPDX-License-Identifier: Apache-2.0

/// A store or a view of one: takes actions, provides states.
public protocol StoreType<ActionType, StateType>: ActionHandler, StateProvider {}
