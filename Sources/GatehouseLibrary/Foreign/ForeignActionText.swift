// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse
internal import GatehouseSDK

/// The current action as text, for all instances of one plugin in one host: encoded once, however many hear it.
///
/// Used in the drain only.
final class ForeignActionText {
    /// The type whose name is in `name`; nil before the first.
    private var type: ActionType?
    /// The local name of the action in UTF-8.
    private var name: [UInt8] = []
    /// The number of the payload that is in `payload`; no payload has 0.
    private var serial: UInt64 = 0
    /// The payload as JSON.
    private var payload: [UInt8] = []

    /// Creates an empty text.
    init() {}

    /// Passes an action to a function of a plugin.
    ///
    /// - Throws: when the payload cannot be written as JSON.
    func with<Result>(
        _ action: AnyAction, _ body: (UnsafePointer<gatehouse_action>) -> Result
    ) throws(CodingFailure) -> Result {
        if action.type != type {
            name = Array(action.type.name.utf8)
            type = action.type
        }
        if action.payloadSerial != serial || serial == 0 {
            serial = 0
            payload.removeAll(keepingCapacity: payload.capacity <= Self.largestKept)
            try action.writePayload(to: &payload)
            serial = action.payloadSerial
        }
        return unsafe withForeignText(name) { name in
            unsafe withForeignText(payload) { payload in
                var shown = unsafe gatehouse_action(
                    type: name, payload: payload, is_error: action.isError ? 1 : 0, reserved: 0)
                return unsafe withUnsafePointer(to: &shown) { unsafe body($0) }
            }
        }
    }

    /// The memory kept for the next payload, in bytes: one huge document must not stay for ever.
    private static var largestKept: Int { 1 << 17 }
}
