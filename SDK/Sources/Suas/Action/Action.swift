// SPDX-License-Identifier: Apache-2.0

/// Something that happened; reducers answer it, middlewares may stand in its way.
///
/// Any type will do. It is `Sendable` because it may be dispatched from any thread.
public protocol Action: Sendable {}
