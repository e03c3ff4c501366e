// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Answers requests for the console's files, which a browser caches while they are unchanged.
struct ConsoleRoute: Sendable {
    /// The files by their paths.
    private let files: [String: ConsoleFile]

    /// Creates a route to some files.
    init(_ files: [ConsoleFile]) {
        self.files = Dictionary(files.map { ($0.path, $0) }) { first, _ in first }
    }

    /// A page may only load content from here; nobody may put it into a frame.
    private static let policy =
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// Returns the answer; nil if there is no such file.
    func answer(_ request: HTTPRequest) -> HTTPResponse? {
        guard let file = files[request.path] else { return nil }
        let fields = [
            (name: "Content-Security-Policy", value: Self.policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-cache"), ("ETag", file.etag),
            ("Vary", "Accept-Encoding"),
        ]
        let known = (request["if-none-match"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        if known.contains(file.etag) || known.contains("W/" + file.etag) {
            return HTTPResponse(304, fields: fields, [])
        }
        let typed = [(name: "Content-Type", value: file.type)] + fields
        if request.takesGzip {
            return HTTPResponse(200, fields: typed + [("Content-Encoding", "gzip")], file.gzip)
        }
        guard let plain = Self.inflated(file.gzip) else {
            return .refusal(406, "expected a client that takes gzip; let it send Accept-Encoding: gzip")
        }
        return HTTPResponse(200, fields: typed, plain)
    }

    /// Decompresses gzip; nil for damaged data, or beyond 16 MiB.
    static func inflated(_ gzip: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        let size = Int32(unsafe MemoryLayout<z_stream>.size)
        // 16 more than the largest window selects the gzip format.
        guard unsafe inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, size) == Z_OK else { return nil }
        defer { _ = unsafe inflateEnd(&stream) }
        var (input, plain) = (gzip, [UInt8]())
        return unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = UInt32(input.count)
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            while plain.count <= 16 << 20 {
                let code = unsafe piece.withUnsafeMutableBufferPointer { piece in
                    unsafe stream.next_out = piece.baseAddress
                    unsafe stream.avail_out = UInt32(piece.count)
                    return unsafe inflate(&stream, Z_NO_FLUSH)
                }
                plain += unsafe piece.prefix(piece.count - Int(stream.avail_out))
                if code == Z_STREAM_END { return plain }
                guard code == Z_OK else { return nil }
            }
            return nil
        }
    }
}
