// SPDX-License-Identifier: Apache-2.0

/// One file of the console, as it is embedded.
struct ConsoleFile: Sendable {
    /// The path under which it is found, such as `/console.css`.
    let path: String
    /// Its media type, with the character set.
    let type: String
    /// The file, compressed with gzip.
    let gzip: [UInt8]
    /// A name of this content, with its quotation marks.
    let etag: String
}
