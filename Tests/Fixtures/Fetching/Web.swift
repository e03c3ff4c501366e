// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

/// The one way to the web that all instances of the plugin share.
enum Web {
    /// Without a cache: a request that is cancelled while the session looks there traps.
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.timeoutIntervalForResource = 10
        return URLSession(configuration: configuration)
    }()

    /// Waits for the whole answer, also when the effect is cancelled meanwhile: the session does not learn of that.
    static func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
        try await Task.detached { try await session.data(for: request) }.value
    }
}
