// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

extension ActionSource {
    /// The id of the instance that emitted the action, or brought it as input; nil for input from outside.
    package var instance: String? { emitter ?? info }
}
