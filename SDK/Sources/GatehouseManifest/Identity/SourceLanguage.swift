// SPDX-License-Identifier: Apache-2.0

/// The language of a source file, as far as comments and literals differ.
public enum SourceLanguage: Sendable {
    /// Comments nest; strings may be raw, span lines and hold code; names may stand in backticks.
    case swift
    /// Comments do not nest; characters stand in single quotes.
    case c
}
