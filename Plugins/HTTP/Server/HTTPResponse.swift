// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// What a request is answered with.
struct HTTPResponse: Sendable {
    /// What follows the header.
    enum Body: Sendable {
        /// All there is.
        case bytes([UInt8])
        /// What comes while the client listens.
        case stream(any HTTPStream)
    }

    /// The number of the status, such as 200.
    let status: UInt32
    /// The header's fields, in order.
    var fields: [(name: String, value: String)]
    /// What follows the header.
    let body: Body

    /// An answer with a text of some media type, which nobody else guesses at or keeps.
    init(_ status: UInt32, type: String, _ body: [UInt8], _ fields: [(name: String, value: String)] = []) {
        self.status = status
        self.fields =
            [("Content-Type", type), ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store")]
            + fields
        self.body = .bytes(body)
    }

    /// An answer with a value.
    init(_ status: UInt32, _ value: Value, _ fields: [(name: String, value: String)] = []) {
        var bytes: [UInt8] = []
        value.writeJSON(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        self.init(status, type: "application/json", bytes, fields)
    }

    /// An answer that goes on as long as the client listens.
    init(stream: any HTTPStream) {
        status = 200
        fields = [
            ("Content-Type", "text/event-stream"), ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"),
        ]
        body = .stream(stream)
    }

    /// An answer with header fields of its own, and nothing but bytes behind them.
    init(_ status: UInt32, fields: [(name: String, value: String)], _ body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = .bytes(body)
    }

    /// Says in a sentence why something was not done.
    static func refusal(
        _ status: UInt32, _ sentence: String, _ fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(status, ["error": .string(sentence)], fields)
    }

    /// Says that it can be done later.
    static func later(_ sentence: String) -> HTTPResponse { refusal(503, sentence, [("Retry-After", "1")]) }
}
