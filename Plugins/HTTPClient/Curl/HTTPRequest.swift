// SPDX-License-Identifier: Apache-2.0

/// One request as it goes out.
struct HTTPRequest: Sendable {
    /// The method, in upper case.
    let method: String
    /// The whole URL, of http or https.
    let url: String
    /// Names and values, in the order in which they are sent; without line breaks.
    let headers: [(name: String, value: String)]
    /// What is sent as the body; nil for none.
    let body: [UInt8]?
    /// How many milliseconds everything may take.
    let timeout: Int
    /// How many of these it may take until there is a connection.
    let connectTimeout: Int
    /// How many bytes of the answer's body are kept.
    let maximumResponse: Int

    /// The same request to another URL.
    func redirected(to url: String) -> HTTPRequest {
        HTTPRequest(
            method: method, url: url, headers: headers, body: body, timeout: timeout,
            connectTimeout: connectTimeout, maximumResponse: maximumResponse)
    }
}

/// What came back from a service.
struct HTTPResponse: Sendable {
    /// The status, such as 200.
    let status: Int
    /// The header `Retry-After` as it came.
    let retryAfter: String?
    /// The header `Content-Type` as it came.
    let contentType: String?
    /// The URL that a redirect names, made whole; nil for none.
    let location: String?
    /// The body, as much as was to be kept.
    let body: [UInt8]
    /// Whether there was more.
    let isCut: Bool
}

/// Why nothing came back.
struct HTTPFailure: Error {
    /// Whether it took too long.
    let isTimeout: Bool
    /// What libcurl says.
    let words: String
}
