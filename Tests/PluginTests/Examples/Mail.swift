// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Sends what is not empty: the action that says that it is an error, as the guide for plugin authors shows it.
struct Mail: Plugin {
    enum Action: PluginAction {
        case send(text: String), sent, failed(reason: String)

        var isError: Bool { if case .failed = self { true } else { false } }
    }

    static func middleware() -> Reader {
        .onAction { action, _, _ in
            guard case .send(let text) = action else { return .doNothing }
            return .just(text.isEmpty ? .failed(reason: "there is nothing to send") : .sent)
        }
    }
}
