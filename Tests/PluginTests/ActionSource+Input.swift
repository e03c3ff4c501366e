// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension ActionSource {
    /// Line 7 of `input.ndjson`, for plugins that tell where an action came from.
    static func input(info: String? = nil) -> ActionSource {
        ActionSource(file: "input.ndjson", function: "", line: 7, info: info)
    }
}
