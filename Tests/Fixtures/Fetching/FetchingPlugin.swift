// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import GatehouseSDK

/// Fetches pages with Foundation, and counts them on the main actor: the example of a plugin that needs either.
struct Fetching: Plugin {
    enum Action: PluginAction {
        /// Fetches a page twice, and each time in place of the fetch that runs in this slot.
        case fetch(url: String, slot: String)
        /// What came of it.
        case fetched(slot: String, status: Int, bytes: Int)
        /// Why nothing came of it.
        case failed(slot: String, reason: String)
        /// Counts on the main actor.
        case count
        /// So much was counted.
        case counted(Int)
    }

    static func middleware() -> Reader {
        .onAction { action, _, _ in
            switch action {
            case .fetch(let url, let slot):
                return fetch(url, slot, token: slot) <> fetch(url, slot, token: slot + "-copy")
            case .count:
                return .task {
                    let count = await MainActor.run { Page.count() }
                    return .counted(count)
                }
            case .fetched, .failed, .counted: return .doNothing
            }
        }
    }

    /// An effect that fetches a page, in place of the one that runs under the token.
    private static func fetch(_ text: String, _ slot: String, token: String) -> Effect<Context, Action> {
        .task(token: token) {
            guard let url = URL(string: text) else { return .failed(slot: slot, reason: "no URL") }
            do {
                let (data, response) = try await Web.answer(to: URLRequest(url: url))
                let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                return .fetched(slot: slot, status: status, bytes: data.count)
            } catch {
                return .failed(slot: slot, reason: "\(error)")
            }
        }
    }
}
