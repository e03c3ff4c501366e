// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Brings lines as an input does, and says what became of them: the example of a plugin that is an input itself.
struct Door: Plugin {
    enum Action: PluginAction {
        /// Brings the lines of a text.
        case bring(String)
        /// So many were taken, and so many were not.
        case brought(accepted: Int, refused: Int)
        /// None were taken.
        case failed(reason: String)
    }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            guard case .bring(let text) = action, let ingress = context.ingress else { return .doNothing }
            return .task {
                let body = Array(text.utf8)
                do {
                    let receipt = try await ingress.dispatch(lines: body)
                    return .brought(accepted: receipt.accepted, refused: receipt.refused)
                } catch {
                    return .failed(reason: "\(error)")
                }
            }
        }
    }
}
