// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension HTTPClient {
    /// What it hears and what it answers.
    enum Action: PluginAction {
        /// Sends the payload, or the part of it that the settings say.
        case send(Value?)
        /// The service has taken it, with a status from 200 to 299; `cut` says that the body was longer.
        case succeeded(id: Value?, status: Int, body: Value?, cut: Bool?, attempts: Int)
        /// It was not sent, or not taken; the message says why and what to do. The status is that of the last attempt.
        case failed(
            id: Value?, reason: Reason, message: String, status: Int?, body: Value?, attempts: Int)

        /// Whether something was not done.
        var isError: Bool { if case .failed = self { true } else { false } }
    }

    /// Why something was not sent or not taken, for programs.
    enum Reason: String, Codable, Sendable {
        /// The settings name no URL.
        case noURL
        /// The payload lacks what URL, headers or body need, or has something there that does not fit.
        case payload
        /// A secret cannot be read.
        case secret
        /// As many requests as may wait are waiting.
        case queueFull
        /// There was no answer.
        case connection
        /// The answer took too long.
        case timeout
        /// The answer has another status.
        case status
        /// The answer leads to somewhere that is not followed.
        case redirect
        /// The run has ended before the next attempt.
        case stopped
    }
}
