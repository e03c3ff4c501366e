// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// An instance for which requests are sent.
///
/// Callable from any thread.
final class CurlClient: Sendable {
    /// Tells instances of a process apart.
    typealias Number = UInt64

    /// Its number.
    let number = last.add(1, ordering: .relaxed).newValue
    /// Makes connections where this process cannot.
    let network: HostNetwork

    /// The number of the latest instance.
    private static let last = Atomic<Number>(0)

    /// An instance that sends nothing yet.
    init(network: HostNetwork) { self.network = network }

    deinit { close() }

    /// Sends a request; gives it up when the task is cancelled.
    ///
    /// - Throws: why there was no answer.
    func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        try await CurlTransfers.shared.perform(request, of: self)
    }

    /// Gives up all requests; a later one starts again.
    func close() { CurlTransfers.shared.close(number) }
}
