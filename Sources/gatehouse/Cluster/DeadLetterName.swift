// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// The unique name of a dead letter of a cluster: the place of its action, such as `7:1795318121367-0`.
struct DeadLetterName: Hashable, CustomStringConvertible {
    /// The partition of the action.
    let partition: Int
    /// The offset in the partition.
    let offset: ClusterOffset

    /// Creates the name of a letter.
    init(of letter: ClusterDeadLetter) {
        partition = letter.partition
        offset = letter.offset
    }

    /// Parses `PARTITION:HIGH-LOW`; nil if the text has another form.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int(parts[0]), partition >= 0,
            let offset = ClusterOffset(parts[1])
        else { return nil }
        self.partition = partition
        self.offset = offset
    }

    /// The form that the initializer parses.
    var description: String { "\(partition):\(offset)" }
}
