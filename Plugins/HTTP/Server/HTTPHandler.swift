// SPDX-License-Identifier: Apache-2.0

/// Decides the answers to requests; called by the threads of a server, which must not wait.
protocol HTTPHandler: AnyObject, Sendable {
    /// Decides about a request after its header.
    func judge(_ request: HTTPRequest) -> HTTPVerdict
}

/// The decision about a request after its header.
enum HTTPVerdict: Sendable {
    /// Answer without the body.
    case answer(HTTPResponse)
    /// Read the body, of at most this many bytes, and then answer by a closure in a task.
    case read(atMost: Int, then: @Sendable ([UInt8]) async -> HTTPResponse)
}
