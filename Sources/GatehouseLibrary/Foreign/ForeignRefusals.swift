// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// The reasons that entries of plugins in other languages give when they refuse; a thread is in one entry at
/// a time.
enum ForeignRefusals {
    /// The reason by the number of the thread in the entry; empty for none.
    private static let reasons = Mutex<[UInt: String]>([:])

    /// Calls an entry, and returns its result and its reason; nil for none.
    static func during<Result>(_ body: () -> Result) -> (Result, String?) {
        let thread = StoreThread.current
        reasons.withLock { $0[thread] = "" }
        let result = body()
        let reason = reasons.withLock { $0.removeValue(forKey: thread) }
        return (result, reason.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Records the reason of the entry that the calling thread is in; `notNow` when it is in none.
    static func note(_ reason: String) throws(ForeignRefusal) {
        let thread = StoreThread.current
        try reasons.withLock { reasons throws(ForeignRefusal) in
            guard reasons[thread] != nil else { throw .notNow }
            reasons[thread] = reason
        }
    }
}
