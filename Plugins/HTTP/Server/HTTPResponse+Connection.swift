// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD

/// The answers that the server gives by itself, and how the library takes any.
///
/// `unsafe` because the library copies an answer from its address.
extension HTTPResponse {
    /// The answer while the server ends.
    static let ending = later("the server ends; try again")

    /// The answer to one stream too many.
    static let tooManyStreams = later("the server has as many streams as it may; try again")

    /// The answer while all possible connections are being answered, in the form of the protocol.
    static let full: String = {
        let sentence = "the server answers as many connections as it may; try again\n"
        return
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: text/plain\r\nContent-Length: \(sentence.utf8.count)\r\nConnection: close\r\n\r\n\(sentence)"
    }()

    /// Hands the answer to the library.
    ///
    /// - Parameters:
    ///   - reader: what reads the answer's stream; nil for whole bytes.
    ///   - isLast: whether the connection ends with it: a client that keeps the connection would find it closed with its next
    ///     request on the way.
    func queue(on connection: OpaquePointer, from reader: StreamReader? = nil, isLast: Bool) -> MHD_Result {
        var response = unsafe reader?.response()
        if case .bytes(let bytes) = body {
            unsafe response = bytes.withUnsafeBytes { bytes in
                unsafe MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        }
        guard let response = unsafe response else { return .NO }
        defer { unsafe MHD_destroy_response(response) }
        if isLast { _ = unsafe MHD_add_response_header(response, "Connection", "close") }
        for field in fields { _ = unsafe MHD_add_response_header(response, field.name, field.value) }
        return unsafe MHD_queue_response(connection, status, response)
    }
}
