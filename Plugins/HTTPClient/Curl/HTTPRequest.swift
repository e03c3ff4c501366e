// SPDX-License-Identifier: Apache-2.0

/// One outgoing request.
struct HTTPRequest: Sendable {
    /// The method, in upper case.
    let method: String
    /// The whole URL, of http or https.
    var url: String
    /// The host in it, without brackets.
    let host: String
    /// The port in it, or that of its scheme.
    let port: UInt16
    /// Names and values, in the order of sending; without line breaks.
    let headers: [(name: String, value: String)]
    /// The body; nil for none.
    let body: [UInt8]?
    /// The time limit for everything, in milliseconds.
    let timeout: Int
    /// The part of it for connecting, in milliseconds.
    let connectTimeout: Int
    /// The most bytes of the answer's body to keep.
    let maximumResponse: Int
}

/// The answer of a service.
struct HTTPResponse: Sendable {
    /// The status, such as 200.
    let status: Int
    /// The header `Retry-After` as it came.
    let retryAfter: String?
    /// The header `Content-Type` as it came.
    let contentType: String?
    /// The absolute URL of a redirect; nil for none.
    let location: String?
    /// The body, up to the limit.
    let body: [UInt8]
    /// Whether the body was longer.
    let isCut: Bool
}

/// Why there was no answer.
struct HTTPFailure: Error {
    /// Whether it took too long.
    let isTimeout: Bool
    /// Whether another attempt would fail in the same way.
    var isLasting = false
    /// The message of libcurl, or of the host.
    let words: String
}
