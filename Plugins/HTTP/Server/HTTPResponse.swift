// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The answer to a request; thrown where one ends early.
struct HTTPResponse: Error {
    /// The part after the header.
    enum Body: Sendable {
        /// The whole body.
        case bytes([UInt8])
        /// Pieces that come while the client listens.
        case stream(EventStream)
    }

    /// The number of the status, such as 200.
    let status: UInt32
    /// The header's fields, in order.
    let fields: [(name: String, value: String)]
    /// The part after the header.
    let body: Body

    /// Creates an answer of some media type; forbids guessing and caching.
    init(_ status: UInt32, type: String, _ body: Body, _ fields: [(name: String, value: String)] = []) {
        self.status = status
        self.fields =
            [("Content-Type", type), ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store")]
            + fields
        self.body = body
    }

    /// Creates an answer with a text of some media type.
    init(_ status: UInt32, type: String, _ body: [UInt8]) { self.init(status, type: type, .bytes(body)) }

    /// Creates an answer with a value.
    init(_ status: UInt32, _ value: Value, _ fields: [(name: String, value: String)] = []) {
        var bytes: [UInt8] = []
        value.writeJSON(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        self.init(status, type: "application/json", .bytes(bytes), fields)
    }

    /// Creates an answer that continues while the client listens.
    init(stream: EventStream) { self.init(200, type: "text/event-stream", .stream(stream)) }

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
