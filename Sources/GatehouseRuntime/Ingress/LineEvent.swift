// SPDX-License-Identifier: Apache-2.0

/// The result of `LineReader.next()`.
package enum LineEvent {
    /// A complete line, or the last one without a line ending.
    case line(InputLine)

    /// A line above the reader's limit, skipped without being kept; `bytes` is its length without line
    /// ending.
    case tooLong(line: Int, bytes: Int)

    /// The wake descriptor became ready while no complete line was available; the reader can then continue.
    case interrupted

    /// Nothing more is available, and the reader is one that does not wait.
    case dry

    /// The input is finished; every later call returns this again.
    case end
}
