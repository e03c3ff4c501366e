// SPDX-License-Identifier: Apache-2.0

/// Brings parts of a file into memory when they are asked for, so that a large file costs only what is read of it.
public protocol ByteLoading: AnyObject {
    /// Makes sure that bytes are in memory.
    ///
    /// What can no longer be read, because the file has become shorter, is left as zeros.
    ///
    /// - Parameter range: offsets inside the file as it was when the reading began; may be empty.
    func load(_ range: Range<Int>)
}
