// SPDX-License-Identifier: Apache-2.0

/// One embedded file of the console.
struct ConsoleFile: Sendable {
    /// The path of its URL, such as `/console.css`.
    let path: String
    /// Its media type, with the character set.
    let type: String
    /// The file, compressed with gzip.
    let gzip: [UInt8]
    /// A name of this content, with its quotation marks.
    let etag: String
}
