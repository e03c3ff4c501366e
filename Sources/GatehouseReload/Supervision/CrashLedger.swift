// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehousePlan
package import GatehouseRuntime
internal import GatehouseSupport

/// Remembers crashes from one run of a host to the next, and decides on their consequences.
///
/// A value: its owner decides when to read and write it. Times are seconds since 1970.
package struct CrashLedger: Codable, Equatable, Sendable {
    /// An unwanted end of a host.
    package struct Crash: Codable, Equatable, Sendable {
        /// When it happened.
        package let time: Double
        /// The cause, such as `SIGILL` or `hung`.
        package let cause: String
        /// The culprit and circumstances, as far as known.
        package internal(set) var account: Account?
        /// Whether it was SIGKILL from an unknown sender, without enough of them in a row to mean more; nil, and left out in the
        /// file, where it was not.
        package internal(set) var isChance: Bool?

        /// Creates a crash at a time.
        ///
        /// - Parameter isChance: whether it means nothing until it has happened often enough.
        package init(time: Double, cause: String, account: FlightRecord?, isChance: Bool = false) {
            self.time = time
            self.cause = cause
            self.account = account.map(Account.init)
            self.isChance = isChance ? true : nil
        }

        /// Whether it repeats a SIGKILL in which the same instance had the same action in progress: none was finished in between,
        /// because the host begins with the unfinished one.
        fileprivate func repeats(_ other: Crash) -> Bool {
            guard cause == other.cause, let mine = account, let its = other.account,
                let name = mine.input?.identity
            else { return false }
            return name == its.input?.identity && mine.type == its.type && mine.instance == its.instance
                && mine.step == its.step
        }

        /// Whether the crash has consequences: the culprit is known, and in the host's own store.
        ///
        /// A member of a cluster that runs without a library, or skips an action, would reach other states than the next owners of its
        /// partitions. The cluster skips, for all of them, what ends hosts there.
        fileprivate var counts: Bool {
            isChance != true && (account.map { $0.blame != .nobody && $0.partition == nil } ?? false)
        }

        /// The manner of the crash, as part of a sentence.
        fileprivate var manner: String {
            switch cause {
            case "hung": "because it hung"
            case "memory": "because memory was short"
            default: "by \(cause)"
            }
        }
    }

    /// A library that is not loaded, and whose instances are suspended.
    package struct Quarantine: Codable, Equatable, Sendable {
        /// The digest of the library's bytes, in hexadecimal.
        package let digest: String
        /// The id of the plugin.
        package let plugin: String
        /// When it was quarantined.
        package let since: Double
        /// The reason, as a sentence without an end mark.
        package let reason: String
    }

    /// An input that is withheld from the instances.
    package struct SetAside: Codable, Equatable, Sendable {
        /// The number in the journal, or the place without a journal.
        package let input: Input
        /// When it was skipped.
        package let since: Double
        /// The reason, as a sentence without an end mark.
        package let reason: String
        /// The global type of the action in progress; nil where unknown.
        package let type: String?
    }

    /// The last crashes, oldest first; beyond the limit, those without a culprit are dropped first.
    package var crashes: [Crash] = []
    /// The quarantined libraries.
    package var quarantined: [Quarantine] = []
    /// The skipped inputs.
    var setAside: [SetAside] = []
    /// How often each instance has ended the host, as far as known; never reset.
    package var deaths: [String: Int] = [:]

    /// The number of consecutive kills during the same action that rules out chance.
    static let chances = 3
    /// The most crashes remembered.
    static let remembered = 200

    /// Creates an empty ledger.
    package init() {}

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        crashes = try members.decode([Crash].self, forKey: .crashes)
        quarantined = try members.decode([Quarantine].self, forKey: .quarantined)
        setAside = try members.decode([SetAside].self, forKey: .setAside)
        // Earlier hosts did not write any.
        deaths = try members.decodeIfPresent([String: Int].self, forKey: .deaths) ?? [:]
    }

    /// Records a crash, and decides on consequences; returns a sentence for each decision.
    ///
    /// A crash without a known culprit has none, and neither does one in a partition of a cluster.
    package mutating func note(_ crash: Crash, under rules: SuperviseConfiguration) -> [String] {
        crashes.append(crash)
        if crash.isChance == true { noteRepetition() }
        let crash = crashes.last ?? crash
        if let account = crash.account, let instance = account.instance,
            crash.counts || account.partition != nil
        {
            deaths[instance, default: 0] += 1
        }
        // Crashes without consequences go first.
        while crashes.count > Self.remembered { crashes.remove(at: crashes.firstIndex { !$0.counts } ?? 0) }
        guard let account = crash.account, crash.counts else { return [] }
        return [setAside(after: crash, account, rules), quarantine(after: crash, account, rules)]
            .compactMap { $0 }
    }

    /// Counts the last kills when they were too many for chance.
    private mutating func noteRepetition() {
        let row = crashes.suffix(Self.chances)
        guard let last = row.last, row.count == Self.chances, row.allSatisfy(last.repeats) else { return }
        for index in row.indices { crashes[index].isChance = nil }
    }

    /// Skips an input that has ended the host too often.
    private mutating func setAside(
        after crash: Crash, _ account: Account, _ rules: SuperviseConfiguration
    ) -> String? {
        guard let input = account.input, let name = input.identity,
            !setAside.contains(where: { $0.input.identity == name })
        else { return nil }
        let deaths = crashes.count { $0.counts && $0.account?.input?.identity == name }
        guard deaths >= rules.deaths else { return nil }
        let reason = "it has ended the host \(Self.times(deaths)), the last time when \(account.sentence)"
        setAside.append(SetAside(input: input, since: crash.time, reason: reason, type: account.type))
        return "the input \(name) is set aside: \(reason)"
    }

    /// Quarantines a library that has crashed too often.
    private mutating func quarantine(
        after crash: Crash, _ account: Account, _ rules: SuperviseConfiguration
    ) -> String? {
        guard let digest = account.digest, let plugin = account.plugin,
            !quarantined.contains(where: { $0.digest == digest })
        else { return nil }
        let start = crash.time - Double(rules.minutes) * 60
        let count = crashes.count { crash in
            crash.time >= start && crash.account?.digest == digest && crash.counts
        }
        guard count >= rules.crashes else { return nil }
        let reason =
            "it has ended the host \(Self.times(count)) within \(rules.minutes) min, the last time \(crash.manner)"
        quarantined.append(
            Quarantine(digest: digest, plugin: plugin, since: crash.time, reason: reason))
        return Self.told(plugin, reason)
    }

    /// Returns the message about a newly quarantined library.
    package static func told(_ plugin: String, _ reason: String) -> String {
        "the plugin \(plugin) is in quarantine: \(reason); it is not loaded until gatehouse ctl release \(plugin) lets it out, or another library comes"
    }

    /// Releases the libraries of a plugin, or one with a digest or its beginning, from quarantine; drops their crashes.
    ///
    /// - Returns: those that were in quarantine.
    package mutating func release(_ name: String) -> [Quarantine] {
        let released = quarantined.filter {
            $0.plugin == name || name.utf8.count >= 8 && $0.digest.hasPrefix(name.lowercased())
        }
        quarantined.removeAll { released.contains($0) }
        crashes.removeAll { crash in released.contains { $0.digest == crash.account?.digest } }
        return released
    }

    /// Why a library is in quarantine; nil when it is not.
    package func quarantine(of digest: String) -> Quarantine? { quarantined.first { $0.digest == digest } }

    /// The reasons why inputs of the journal are skipped, by number.
    package var setAsideNumbers: [UInt64: String] {
        Dictionary(
            setAside.compactMap { entry in entry.input.number.map { ($0, entry.reason) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The reasons why lines of inputs without a journal are skipped, by place.
    var setAsidePlaces: [String: String] {
        Dictionary(
            setAside.compactMap { entry in
                entry.input.number == nil ? entry.input.identity.map { ($0, entry.reason) } : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Drops inputs of the journal that have become dead letters: they are not dispatched again.
    mutating func dismiss(_ numbers: some Sequence<UInt64>) {
        let gone = Set(numbers)
        setAside.removeAll { $0.input.number.map(gone.contains) ?? false }
    }

    /// Drops records about lines of inputs: in another run the same place may be another line.
    package mutating func forgetPlaces() {
        setAside.removeAll { $0.input.number == nil }
        for index in crashes.indices where crashes[index].account?.input?.number == nil {
            crashes[index].account?.input = nil
        }
    }

    /// Formats a number of times in words.
    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

extension HostPlan {
    /// Returns the plan with the instances of quarantined libraries suspended; in a cluster only those of the scope `host`,
    /// because all members reach the same states only with the same instances.
    package func quarantining(_ ledger: CrashLedger) -> HostPlan {
        guard !ledger.quarantined.isEmpty else { return self }
        return quarantining { planned in
            guard configuration.cluster == nil || planned.scope == .host,
                let quarantine = planned.digest.flatMap({ ledger.quarantine(of: $0.hex) })
            else { return nil }
            return (
                quarantine.reason,
                Diagnostic(
                    .warning, instance: planned.id,
                    "it is not loaded, because \(quarantine.plugin) is in quarantine: \(quarantine.reason); let it out with gatehouse ctl release \(planned.id), or bring another library"
                )
            )
        }
    }
}

extension Host {
    /// Leaves out inputs that have ended the host too often; called before a run.
    package func leaveOut(_ ledger: CrashLedger) {
        skipped = SkippedInputs(places: ledger.setAsidePlaces, numbers: ledger.setAsideNumbers)
    }
}
