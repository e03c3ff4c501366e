// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// How an answer is read whose host may be older or newer, so that any member may be missing.
extension Value {
    /// The text at a key; empty where there is none.
    func text(_ key: String) -> String { self[key]?.stringValue ?? "" }

    /// The whole number at a key; 0 where there is none.
    func count(_ key: String) -> Int { self[key]?.intValue ?? 0 }

    /// The number at a key; 0 where there is none.
    func number(_ key: String) -> Double { self[key]?.doubleValue ?? 0 }

    /// The elements at a key; empty where there are none.
    func list(_ key: String) -> [Value] { self[key]?.arrayValue ?? [] }
}
