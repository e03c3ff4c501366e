// SPDX-License-Identifier: Apache-2.0

import CZlib

/// One embedded file of the console.
struct ConsoleFile: Sendable {
    /// The path of its URL, such as `/console.css`.
    let path: String
    /// Its media type, with the character set.
    let type: String
    /// Its bytes.
    let plain: [UInt8]
    /// The same, compressed with gzip; nil where zlib has no memory.
    let gzip: [UInt8]?
    /// A name of this content, with its quotation marks.
    let etag: String

    /// Compresses and names the bytes of a file.
    init(_ path: String, _ type: String, _ plain: [UInt8]) {
        self.path = path
        self.type = type
        self.plain = plain
        gzip = Self.compressed(plain)
        let name = Signature.hex(Signature.digest(of: plain)).prefix(24)
        etag = "\"\(String(decoding: name, as: UTF8.self))\""
    }

    /// Compresses with gzip, as small as possible.
    private static func compressed(_ plain: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        let size = Int32(unsafe MemoryLayout<z_stream>.size)
        // 16 more than the largest window selects the gzip format.
        guard
            unsafe deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
        else { return nil }
        defer { _ = unsafe deflateEnd(&stream) }
        var input = plain
        var output = [UInt8](repeating: 0, count: Int(unsafe deflateBound(&stream, UInt(plain.count))))
        let code = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(output.count)
                return unsafe deflate(&stream, Z_FINISH)
            }
        }
        return code == Z_STREAM_END ? Array(output.prefix(Int(unsafe stream.total_out))) : nil
    }
}
