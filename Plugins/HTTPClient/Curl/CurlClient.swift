// SPDX-License-Identifier: Apache-2.0

internal import CCurl
import GatehouseSDK
import Synchronization

/// An instance for which requests are sent, with connections of its own: each may lead only where the entry of the instance says.
///
/// Callable from any thread.
final class CurlClient: Sendable {
    /// A share of libcurl.
    ///
    /// `@unchecked Sendable`: only the thread of `CurlTransfers` uses it, by transfers that keep this object alive; it is freed when
    /// there are none any more, on whatever thread that is.
    @safe struct Connections: @unchecked Sendable {
        /// The pointer from libcurl; nil where there was no memory, and connections are shared with others that have none.
        let pointer: UnsafeMutableRawPointer?
    }

    /// Tells instances of a process apart.
    typealias Number = UInt64

    /// Its number.
    let number = last.add(1, ordering: .relaxed).newValue
    /// Makes connections where this process cannot.
    let network: HostNetwork

    /// The connections that are kept for later requests.
    let connections = unsafe Connections(pointer: gatehouse_curl_make_share())

    /// The number of the latest instance.
    private static let last = Atomic<Number>(0)

    /// An instance that sends nothing yet.
    init(network: HostNetwork) { self.network = network }

    deinit {
        close()
        if let share = unsafe connections.pointer { _ = unsafe curl_share_cleanup(share) }
    }

    /// Sends a request; gives it up when the task is cancelled.
    ///
    /// - Throws: why there was no answer.
    func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        try await CurlTransfers.shared.perform(request, of: self)
    }

    /// Gives up all requests; a later one starts again.
    func close() { CurlTransfers.shared.close(number) }
}
