// SPDX-License-Identifier: Apache-2.0

/// The layout of JSON text; both styles keep members in stored order.
public enum JSONStyle: Sendable, Hashable {
    /// One line without white space.
    case compact
    /// One member or element a line, indented by two spaces; no line feed at the end.
    case pretty
}
