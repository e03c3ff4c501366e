// SPDX-License-Identifier: Apache-2.0

/// Hashes that all members of a cluster compute alike, whatever their version; changing them would move keys.
package enum PartitionHash {
    /// FNV-1a over the bytes, mixed so that all bits depend on all bytes (SplitMix64's last step).
    package static func hash(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ seed
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return hash ^ (hash >> 31)
    }

    /// Returns the partition of a key, from 0 and below the number of partitions, which must be positive.
    package static func partition(of key: String, in count: Int) -> Int {
        partition(of: hash(key.utf8), in: count)
    }

    /// Returns the partition of the key with a hash.
    package static func partition(of hash: UInt64, in count: Int) -> Int { Int(hash % UInt64(count)) }
}
