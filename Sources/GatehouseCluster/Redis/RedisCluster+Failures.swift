// SPDX-License-Identifier: Apache-2.0

// What is wrong with the cluster that a server has, in sentences.
extension RedisCluster {
    /// Returns the failure of a halted cluster.
    func halted(_ halt: RedisHalt) -> ClusterFailure {
        .goneBack("the cluster '\(name)' at \(address) is halted, as found by \(halt.reason)\(Self.remedy)")
    }

    /// Returns the failure of a server that lacks data of a partition, in the words of a script: the number of the partition, what is
    /// missing, and the offsets that were known and found.
    func vanished(_ words: Substring) -> ClusterFailure {
        let parts = words.split(separator: " ").map { RedisReply.shown($0) }
        guard parts.count == 4 else { return .refused("Redis gave an unexpected answer: \(words)") }
        let (known, found) =
            parts[1] == "checkpoint"
            ? ("a checkpoint of partition \(parts[0]) at \(parts[2])", "one at \(parts[3])")
            : ("actions of partition \(parts[0])", "none of them")
        return lost("had confirmed \(known), and has \(found) now: keys of the cluster were removed")
    }

    /// Returns the failure of a server that has less than it had confirmed.
    func goneBack(_ known: String, _ found: String) -> ClusterFailure {
        lost("had confirmed \(known), and has \(found) now: it went back to an older copy")
    }

    /// Returns the failure of a server that does not know the cluster any more.
    func emptied() -> ClusterFailure { lost("does not know the cluster '\(name)' any more: it was emptied") }

    /// Returns the failure of a server that has lost something, and makes the next connection compare everything.
    func lost(_ sentence: String) -> ClusterFailure {
        confirmed.doubt()
        return .goneBack("\(address) \(sentence)\(Self.remedy)")
    }

    /// What to do about lost data, as the end of a sentence.
    static let remedy =
        ". Restore its newest copy and start the members again, or continue without the lost data by gatehouse cluster resume"

    /// Returns the failure of a cluster with another number of partitions or another form, or of a missing one.
    func misshapen(_ text: some StringProtocol) -> ClusterFailure {
        if let resize = RedisResize(text) {
            return .refused(
                "the cluster '\(name)' at \(address) is being resized from \(resize.old.partitions) to \(resize.new.partitions) partitions; wait for that, or, if it was interrupted, start it over with gatehouse cluster resize"
            )
        }
        if let halt = RedisHalt(text) { return halted(halt) }
        if !text.isEmpty {
            guard let there = RedisShape(text) else {
                return .refused(
                    "the cluster '\(name)' at \(address) has the shape \"\(RedisReply.shown(text))\", which no host wrote"
                )
            }
            if let objection = there.objection {
                return .refused("the cluster '\(name)' at \(address) \(objection)")
            }
            return .resized(name, at: address, to: there.partitions, expected: partitions)
        }
        return confirmed.hasJoined
            ? emptied() : .missing(name, at: address)
    }
}
