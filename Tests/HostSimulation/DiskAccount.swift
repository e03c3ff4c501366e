// SPDX-License-Identifier: Apache-2.0

import CSimulatedDisk

/// What has happened to a simulated disk.
struct DiskAccount {
    /// The number of steps.
    let steps: UInt64
    /// The sectors that power failures have lost.
    let lost: UInt64
    /// Everything by name.
    let counts: [(name: String, count: UInt64)]

    /// Takes over an account.
    init(_ account: gatehouse_disk_account) {
        let (kinds, ends, events) = (account.kinds, account.ends, account.events)
        (steps, lost) = (account.steps, account.lost)
        counts = [
            ("steps that write", kinds.0), ("steps that truncate", kinds.1), ("steps that sync", kinds.2),
            ("steps that delete", kinds.3), ("steps that rename", kinds.4), ("steps that lock", kinds.5),
            ("ends in a write", ends.0), ("ends in a truncation", ends.1), ("ends in a sync", ends.2),
            ("ends in a deletion", ends.3), ("ends in a renaming", ends.4), ("ends in a lock", ends.5),
            ("ends of the process", events.1), ("ends of the power", events.2),
            ("failed writes", events.3), ("writes to a full disk", events.4), ("failed syncs", events.5),
            ("torn writes", account.torn), ("power failures that kept a part", account.parted),
            ("power failures that reordered", account.reordered), ("sectors lost", account.lost),
            ("renamings undone", account.undone),
        ]
    }
}
