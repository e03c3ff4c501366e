// SPDX-License-Identifier: Apache-2.0

/// How action names are carried over between the host (global) and a plugin (local).
public enum NameLift: Equatable, Sendable {
    /// The global name is this text followed by the local name; empty, or ends in `/`.
    case prefix(String)
    /// Names one by one: global to local for input, local to global for output. Others stay outside.
    case map(NameMap)
}
