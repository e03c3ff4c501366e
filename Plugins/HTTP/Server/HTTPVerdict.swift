// SPDX-License-Identifier: Apache-2.0

/// The decision about a request after its header.
enum HTTPVerdict: Sendable {
    /// Answer without the body.
    case answer(HTTPResponse)
    /// Read the body, of at most this many bytes, and then answer by a closure in a task.
    case read(atMost: Int, then: @Sendable ([UInt8]) async -> HTTPResponse)
}
