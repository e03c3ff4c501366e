// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension HTTPClient {
    /// The plugin's actions.
    enum Action: PluginAction {
        /// Sends the payload, or the part of it selected by the settings.
        case send(Value?)
        /// The service answered with a status from 200 to 299; `cut` means that the body was longer.
        case succeeded(id: Value?, status: Int, body: Value?, cut: Bool?, attempts: Int)
        /// It was not sent or not accepted; the message has reason and remedy. The status is the last attempt's.
        case failed(
            id: Value?, reason: Reason, message: String, status: Int?, body: Value?, attempts: Int)

        /// Whether the action reports a failure.
        var isError: Bool { if case .failed = self { true } else { false } }
    }

    /// Why something was not sent or not accepted, for programs.
    enum Reason: String, Codable, Sendable {
        /// The settings name no URL.
        case noURL
        /// The payload lacks a part for URL, headers or body, or has one that does not fit.
        case payload
        /// A secret cannot be read.
        case secret
        /// The queue of waiting requests is full.
        case queueFull
        /// There was no answer.
        case connection
        /// The answer took too long.
        case timeout
        /// The answer has any other status.
        case status
        /// The answer redirects to a place that is not followed.
        case redirect
        /// The run has ended before the next attempt.
        case stopped
    }
}
