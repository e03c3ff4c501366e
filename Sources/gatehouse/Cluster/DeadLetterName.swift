// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// What tells a dead letter of a cluster from all others: where its action stood, such as `7:1795318121367-0`.
struct DeadLetterName: Hashable, CustomStringConvertible {
    /// The partition.
    let partition: Int
    /// The place there.
    let offset: ClusterOffset

    /// The name of a letter.
    init(of letter: ClusterDeadLetter) {
        partition = letter.partition
        offset = letter.offset
    }

    /// Reads `PARTITION:HIGH-LOW`; nil if it is not that.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int(parts[0]), partition >= 0,
            let offset = ClusterOffset(parts[1])
        else { return nil }
        self.partition = partition
        self.offset = offset
    }

    /// As it is read.
    var description: String { "\(partition):\(offset)" }
}
