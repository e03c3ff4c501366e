// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The answer to a request.
struct HTTPResponse: Sendable {
    /// The part after the header.
    enum Body: Sendable {
        /// The whole body.
        case bytes([UInt8])
        /// Pieces that come while the client listens.
        case stream(any HTTPStream)
    }

    /// The number of the status, such as 200.
    let status: UInt32
    /// The header's fields, in order.
    var fields: [(name: String, value: String)]
    /// The part after the header.
    let body: Body

    /// Creates an answer with a text of some media type; forbids guessing and caching.
    init(_ status: UInt32, type: String, _ body: [UInt8], _ fields: [(name: String, value: String)] = []) {
        self.status = status
        self.fields =
            [("Content-Type", type), ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store")]
            + fields
        self.body = .bytes(body)
    }

    /// Creates an answer with a value.
    init(_ status: UInt32, _ value: Value, _ fields: [(name: String, value: String)] = []) {
        var bytes: [UInt8] = []
        value.writeJSON(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        self.init(status, type: "application/json", bytes, fields)
    }

    /// Creates an answer that continues while the client listens.
    init(stream: any HTTPStream) {
        status = 200
        fields = [
            ("Content-Type", "text/event-stream"), ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"),
        ]
        body = .stream(stream)
    }

    /// Creates an answer with header fields of its own, and bytes as they are.
    init(_ status: UInt32, fields: [(name: String, value: String)], _ body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = .bytes(body)
    }

    /// Creates a refusal with its reason in a sentence.
    static func refusal(
        _ status: UInt32, _ sentence: String, _ fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(status, ["error": .string(sentence)], fields)
    }

    /// Creates a refusal that asks to try again later.
    static func later(_ sentence: String) -> HTTPResponse { refusal(503, sentence, [("Retry-After", "1")]) }
}
