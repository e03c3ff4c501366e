// SPDX-License-Identifier: Apache-2.0

/// Decides what requests are answered with; called by the threads of a server, which must not wait.
protocol HTTPHandler: AnyObject, Sendable {
    /// Decides about a request whose header is there.
    func judge(_ request: HTTPRequest) -> HTTPVerdict
}

/// What becomes of a request whose header is there.
enum HTTPVerdict: Sendable {
    /// It is answered without its body.
    case answer(HTTPResponse)
    /// Its body is read, if it has at most so many bytes, and then it is answered by a closure in a task.
    case read(atMost: Int, then: @Sendable ([UInt8]) async -> HTTPResponse)
}
