// SPDX-License-Identifier: Apache-2.0

/// The health of an instance, as it reports it.
public enum PluginHealth: Equatable, Sendable {
    /// The instance works; also the state before any report.
    case ok
    /// The instance runs but cannot do its work; the reason is one sentence for the operator.
    case failing(String)
}
