// SPDX-License-Identifier: Apache-2.0

/// What a call of `LineReader.next()` came back with.
public enum LineEvent {
    /// A complete line, or the last one without a line ending.
    case line(InputLine)

    /// A line above the reader's limit, skipped without being kept; `bytes` is its length without line
    /// ending.
    case tooLong(line: Int, bytes: Int)

    /// The wake descriptor became ready while no complete line was at hand; the reader can go on afterwards.
    case interrupted

    /// Nothing more is at hand, and the reader is one that does not wait.
    case dry

    /// The input is finished; every later call says so again.
    case end
}
