// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Prints results to standard output for commands that run no plugins. The others use `StandardOutput`.
///
/// Text from outside, in an action, a journal or a library, can neither move a terminal nor forge a line. The C library buffers the
/// output; the end of the program flushes it and reports a failure.
enum Results {
    /// Prints one line.
    static func writeLine(_ line: String) { print(Quotation.bare(line)) }

    /// Prints complete lines of text; the writer of the text must escape line ends inside its parts.
    static func write(_ text: String) { print(Quotation.lines(text), terminator: "") }

    /// Prints an answer: a value as JSON for programs, or complete lines of text for people.
    static func write(_ value: @autoclosure () -> Value, or text: @autoclosure () -> String, isJSON: Bool) {
        if isJSON { write(value(), .pretty) } else { write(text()) }
    }

    /// Prints a value as JSON, followed by a line end.
    static func write(_ value: Value, _ style: JSONStyle = .compact) {
        var bytes: [UInt8] = []
        value.writeJSON(to: &bytes, style: style)
        Quotation.escapeControls(in: &bytes)
        print(String(decoding: bytes, as: UTF8.self))
    }
}
