// SPDX-License-Identifier: Apache-2.0

/// An event; reducers answer it, and middlewares may change or stop it.
///
/// Any type will do. It is `Sendable` because it may be dispatched from any thread.
public protocol Action: Sendable {}
