// SPDX-License-Identifier: Apache-2.0

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
        guard request.takesGzip, let gzip = file.gzip else {
            return HTTPResponse(200, fields: typed, file.plain)
        }
        return HTTPResponse(200, fields: typed + [("Content-Encoding", "gzip")], gzip)
    }
}
