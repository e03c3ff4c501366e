// SPDX-License-Identifier: Apache-2.0

private import CZlib

/// One of the files that make up the console; `all` is written by Scripts/embed-console.
struct ConsoleFile: Sendable {
    /// The path under which it is served.
    let path: String
    /// The media type.
    let type: String
    /// What names this content, in quotation marks, as HTTP has it.
    let etag: String
    /// The content, compressed by gzip.
    let gzip: [UInt8]
    /// How long the content is.
    let count: Int

    /// A file whose compressed content is given in base64, which holds nothing but that.
    init(path: String, type: String, etag: String, count: Int, base64: StaticString) {
        self.path = path
        self.type = type
        self.etag = etag
        self.count = count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(base64.utf8CodeUnitCount * 3 / 4)
        var bits: UInt32 = 0
        var filled = 0
        let text = unsafe UnsafeBufferPointer(start: base64.utf8Start, count: base64.utf8CodeUnitCount)
        for unsafecharacter in unsafe text {
            guard let digit = Self.digit(character) else { continue }
            bits = bits << 6 | digit
            filled += 6
            if filled >= 8 {
                filled -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(filled)))
            }
        }
        gzip = bytes
    }

    /// The content as it is, for clients that do not take it compressed; empty when it is damaged.
    func plain() -> [UInt8] {
        var stream = unsafe z_stream()
        // With the header of gzip and the largest window.
        guard
            unsafe inflateInit2_(
                &stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return [] }
        defer { unsafe inflateEnd(&stream) }
        var input = gzip
        var output = [UInt8](repeating: 0, count: count)
        let end = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(output.count)
                return unsafe inflate(&stream, Z_FINISH)
            }
        }
        return end == Z_STREAM_END ? output : []
    }

    /// The value of a digit in base 64; nil for what is none.
    private static func digit(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
