// SPDX-License-Identifier: Apache-2.0

/// How an instance is, as it says itself.
public enum PluginHealth: Equatable, Sendable {
    /// It does what it is there for; so is each instance until it says otherwise.
    case ok
    /// It goes on, but cannot do what it is there for; why, in one sentence for the operator.
    case failing(String)
}
