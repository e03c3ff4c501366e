// SPDX-License-Identifier: Apache-2.0

/// One line of input, borrowed from the reader's buffer.
///
/// Marked safe because holding one does nothing; each read through `bytes` is the unsafe step, and is sound
/// until the reader that produced the line is asked for the next one or ends.
@safe package struct InputLine {
    /// The text without its line ending, followed by `LineReader.padding` readable bytes.
    package let bytes: UnsafeRawBufferPointer

    /// The number of the line in the input, from 1; lines that were too long count as well.
    package let number: Int

    /// Wraps text that is already followed by the padding.
    package init(bytes: UnsafeRawBufferPointer, number: Int) {
        unsafe self.bytes = unsafe bytes
        self.number = number
    }

    /// The line without a leading UTF-8 byte order mark, which editors put in front of a file.
    package var withoutByteOrderMark: InputLine {
        guard unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return self }
        return unsafe InputLine(bytes: UnsafeRawBufferPointer(rebasing: bytes[3...]), number: number)
    }
}
