// SPDX-License-Identifier: Apache-2.0

import CPowerLoss

/// A disk for SQLite that loses what was not synced when the power goes, and that can be made to fail.
enum LossyDisk {
    /// The calls that can be made to fail.
    enum Call: Int32, Sendable {
        case write = 1
        case sync = 2
    }

    /// What SQLite calls it; usable from here on.
    static func register() -> String {
        gatehouse_power_register()
        return GATEHOUSE_POWER_LOSS
    }

    /// Copies what would be left of a folder if the power went now; each sector that was not synced is there with a chance of `kept` in
    /// 1,000.
    ///
    /// - Returns: 0, or the system's number for the reason against it.
    static func cut(_ folder: String, to target: String, seed: UInt64, kept: UInt32) -> Int32 {
        unsafe gatehouse_power_cut(folder, target, seed, kept)
    }

    /// Lets calls for a file fail from here on, with a result code of SQLite and a number of the system.
    static func fail(_ call: Call, of path: String, code: Int32, system: Int32) {
        unsafe gatehouse_power_fail(path, call.rawValue, 0, code, system)
    }

    /// Lets calls for a file succeed again.
    static func heal(_ path: String) { unsafe gatehouse_power_fail(path, 0, 0, 0, 0) }

    /// How often calls of a kind were made for a file, the failing ones included.
    static func count(_ call: Call, of path: String) -> Int {
        unsafe gatehouse_power_calls(path, call.rawValue)
    }

    /// Waits until all that was written to a file is synced.
    static func awaitSync(of path: String) { unsafe gatehouse_power_await_sync(path) }
}
