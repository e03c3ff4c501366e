// SPDX-License-Identifier: Apache-2.0

/// A store or something that looks like one: takes actions, gives states.
public protocol StoreType<ActionType, StateType>: ActionHandler, StateProvider {}
