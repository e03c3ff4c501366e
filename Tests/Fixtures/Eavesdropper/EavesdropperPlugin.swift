// SPDX-License-Identifier: Apache-2.0

import CDefective
import GatehouseSDK

/// Hears everything, and stumbles over what the environment names.
struct Eavesdropper: Plugin {
    typealias Action = AnyAction

    static func middleware() -> Reader {
        .onAction { action, _, _ in
            if unsafe defective_has("mark"), action.isError { fatalError("an error") }
            if unsafe defective_has("type"), action.type.name.hasPrefix("unknown") {
                fatalError("a stranger")
            }
            return .doNothing
        }
    }
}
