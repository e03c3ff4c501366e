// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseSDK
internal import GatehouseSupport

/// Prints results to standard output: the one way for commands that run no plugins. `StandardOutput` is that of the others.
///
/// Nothing that somebody else has written, in an action, a journal or a library, can move a terminal or forge a line. What is printed
/// waits in the C library's buffer; the end of the program writes it, and tells of a failure.
enum Results {
    /// Prints one line.
    static func writeLine(_ line: String) { print(Quotation.bare(line)) }

    /// Prints text of several lines, which ends its last one; what in it may hold line ends of its own is escaped by who writes it.
    static func write(_ text: String) { print(Quotation.lines(text), terminator: "") }

    /// Prints a value as JSON, and a line end.
    static func write(_ value: Value, _ style: JSONStyle = .compact) {
        var bytes: [UInt8] = []
        value.writeJSON(to: &bytes, style: style)
        Quotation.escapeControls(in: &bytes)
        print(String(decoding: bytes, as: UTF8.self))
    }
}
