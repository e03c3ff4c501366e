// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite

// Members, and what operators ask.
extension LocalEngine {
    /// How long a member that left without a word is remembered, in milliseconds: a day.
    private static var memory: Int { 86_400_000 }
    /// The longest lease in milliseconds.
    private static var longestLease: Int { 60_000 }

    /// Ends a call when another process has the member's name.
    ///
    /// - Parameter life: the life that calls; empty for one that does not say so.
    func checkLife(of member: String, _ life: String) throws(ClusterFailure) {
        let there = try store.first("SELECT life, process FROM members WHERE name = ?", member) {
            (life: $0.text(0), process: $0.integer(1))
        }
        guard let there, !life.isEmpty, there.life != life else { return }
        throw .superseded("process \(there.process), life \(there.life)")
    }

    /// Writes the presence of a member.
    private func write(_ presence: ClusterPresence) throws(ClusterFailure) {
        try store.run(
            """
            INSERT INTO members(name, life, digest, version, process, started) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT DO UPDATE SET life = ?2, digest = ?3, version = ?4, process = ?5, started = ?6
            """, presence.name, presence.life, presence.digest, presence.version, presence.process,
            presence.started)
    }

    /// The columns of a member, in the order in which `presence(_:)` reads them.
    private static var columns: String { "name, life, digest, version, process, started, lease" }

    /// Reads a presence.
    private static func presence(_ row: borrowing LocalStore.Row) -> ClusterPresence {
        ClusterPresence(
            name: row.text(0), life: row.text(1), digest: row.text(2), version: row.text(3),
            process: Int(row.integer(4)), started: row.number(5))
    }

    func join(_ presence: ClusterPresence) throws(ClusterFailure) {
        try cluster.writing(store) { () throws(ClusterFailure) in
            if try store.shape() == nil {
                try store.run(
                    "INSERT INTO cluster(name, partitions) VALUES(?, ?)", cluster.name, cluster.partitions)
            }
            try checkShape()
            try write(presence)
        }
        cluster.join(presence)
    }

    func leave(_ presence: ClusterPresence) throws(ClusterFailure) {
        try cluster.writing(store) { () throws(ClusterFailure) in
            let isThere = try store.integer(
                "SELECT count(*) FROM members WHERE name = ? AND life = ?", presence.name, presence.life)
            guard isThere > 0 else { return }
            try store.run("DELETE FROM members WHERE name = ?", presence.name)
            try store.run("UPDATE cluster SET turn = '' WHERE turn = ?", presence.name)
        }
    }

    func renew(_ member: ClusterPresence, for lease: Duration) throws(ClusterFailure) -> ClusterRoll {
        cluster.join(member)
        return try cluster.writing(store) { () throws(ClusterFailure) in
            try checkShape()
            try checkLife(of: member.name, member.life)
            try write(member)
            let now = LocalStore.now
            let end = now + Int(lease / .milliseconds(1))
            try store.run("UPDATE members SET lease = ? WHERE name = ?", end, member.name)
            // The clock was set back: such leases would not end before it is where it was.
            try store.run("UPDATE members SET lease = ? WHERE lease > ?", end, now + Self.longestLease)
            try store.run("DELETE FROM members WHERE lease BETWEEN 1 AND ?", now - Self.memory)
            var roll = ClusterRoll(live: [], titles: try titles(), draining: try draining())
            try store.forEach("SELECT name, digest FROM members WHERE lease > ?", now) { row in
                roll.live.insert(row.text(0))
                roll.digests[row.text(0)] = row.text(1)
                return true
            }
            roll.reload = try store.integer("SELECT reload FROM cluster")
            return roll
        }
    }

    /// Returns the titles of all partitions.
    private func titles() throws(ClusterFailure) -> [ClusterRoll.Title] {
        var titles = Array(repeating: ClusterRoll.Title(), count: cluster.partitions)
        try store.forEach("SELECT number, owner, epoch FROM partitions") { row in
            let number = Int(row.integer(0))
            if titles.indices.contains(number) { titles[number] = row.title(1) }
            return true
        }
        return titles
    }

    /// Returns the members that must own nothing.
    private func draining() throws(ClusterFailure) -> Set<String> {
        var names: Set<String> = []
        try store.forEach("SELECT name FROM draining") { row in
            names.insert(row.text(0))
            return true
        }
        return names
    }

    func drain(_ member: String, _ isDraining: Bool) throws(ClusterFailure) {
        try cluster.writing(store) { () throws(ClusterFailure) in
            try store.run(
                isDraining
                    ? "INSERT INTO draining(name) VALUES(?) ON CONFLICT DO NOTHING"
                    : "DELETE FROM draining WHERE name = ?", member)
        }
    }

    func takeTurn(for member: String, _ time: Duration) throws(ClusterFailure) -> Bool {
        try cluster.writing(store) { () throws(ClusterFailure) in
            let now = LocalStore.now
            let holder =
                try store.first("SELECT turn FROM cluster WHERE turn_ends > ?", now) { $0.text(0) } ?? ""
            guard holder.isEmpty || holder == member else { return false }
            try store.run(
                "UPDATE cluster SET turn = ?, turn_ends = ?", member,
                now + max(1, Int(time / .milliseconds(1))))
            return true
        }
    }

    func endTurn(of member: String) throws(ClusterFailure) {
        try cluster.writing(store) { () throws(ClusterFailure) in
            try store.run("UPDATE cluster SET turn = '' WHERE turn = ?", member)
        }
    }

    func requestReload() throws(ClusterFailure) -> Int {
        try cluster.writing(store) { () throws(ClusterFailure) in
            try store.run("UPDATE cluster SET reload = reload + 1")
            return try store.integer("SELECT reload FROM cluster")
        }
    }

    // MARK: - Surveys

    func survey() throws(ClusterFailure) -> ClusterSurvey {
        try cluster.reading(store) { () throws(ClusterFailure) in
            let now = LocalStore.now
            let draining = try draining()
            var members: [ClusterSurvey.Member] = []
            try store.forEach("SELECT \(Self.columns) FROM members ORDER BY name") { row in
                let (presence, lease) = (Self.presence(row), Int(row.integer(6)))
                members.append(
                    .init(
                        presence: presence, leaseLeft: .milliseconds(lease > 0 ? lease - now : 0),
                        isDraining: draining.contains(presence.name)))
                return true
            }
            var partitions = try titles().map {
                ClusterSurvey.Partition(title: $0, offset: .start, lag: 0, waiting: nil, checkpointAge: nil)
            }
            try store.forEach(Self.standing) { row in
                let number = Int(row.integer(0))
                guard partitions.indices.contains(number) else { return true }
                partitions[number].offset = row.offset(1)
                if row.integer(4) > 0 {
                    partitions[number].checkpointAge = .milliseconds(now - Int(row.integer(4)))
                }
                guard !row.isNull(6) else { return true }
                partitions[number].lag = max(1, Int(row.integer(5)))
                partitions[number].waiting = .milliseconds(max(0, now - Int(row.integer(6))))
                return true
            }
            return ClusterSurvey(
                members: members, partitions: partitions,
                dead: try store.integer("SELECT count(*) FROM dead"), time: Double(now) / 1_000)
        }
    }

    /// Where each partition stands: number, offset, time of the checkpoint, how many actions were appended and not processed, and when
    /// the oldest of them was appended.
    ///
    /// The entry at an offset with a place has further actions.
    private static var standing: String {
        """
        SELECT number, high, low, place, time, added - processed,
            (SELECT entries.high FROM entries WHERE partition = number
                AND (entries.high, entries.low) >= (partitions.high, partitions.low)
                AND ((entries.high, entries.low) > (partitions.high, partitions.low) OR place < \(ClusterOffset.whole))
                ORDER BY entries.high, entries.low LIMIT 1)
        FROM partitions
        """
    }

    func deadLetters(atMost count: Int) throws(ClusterFailure) -> [ClusterDeadLetter] {
        try cluster.reading(store) { () throws(ClusterFailure) in
            var letters: [ClusterDeadLetter] = []
            try store.forEach(
                "SELECT partition, offset, origin, action, reason, member, time FROM dead ORDER BY id DESC LIMIT ?",
                count
            ) { row in
                letters.append(
                    ClusterDeadLetter(
                        partition: Int(row.integer(0)), offset: ClusterOffset(row.text(1)) ?? .start,
                        origin: ClusterOrigin(row.text(2)), action: row.bytes(3), reason: row.text(4),
                        member: row.text(5), time: row.number(6)))
                return true
            }
            return letters.reversed()
        }
    }
}
