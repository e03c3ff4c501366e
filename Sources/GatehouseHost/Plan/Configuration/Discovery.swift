// SPDX-License-Identifier: Apache-2.0

/// What happens to a library in the plugin folder that no entry names.
public enum Discovery: String, CaseIterable, Sendable {
    /// It joins the end of the chain, in file-name order, with default settings, lift and gate.
    case activate
    /// It is checked and shown; none of its code runs.
    case list
    /// It is not looked at.
    case ignore
}
