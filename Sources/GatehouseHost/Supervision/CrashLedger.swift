// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport

/// What is remembered of crashes from one run of a host to the next, and what follows from it.
///
/// A value: whoever has it decides when it is read and written. Times are seconds since 1970.
public struct CrashLedger: Equatable, Sendable {
    /// One end of a host that nobody wanted.
    public struct Crash: Equatable, Sendable {
        /// When it was.
        public let time: Double
        /// What ended the host, such as `SIGILL` or `hung`.
        public let cause: String
        /// Who did it with what, as far as that is known.
        public let account: BoxAccount?
        /// Whether it was SIGKILL, of which nobody knows who has sent it, and too few of those came in a row to say more.
        public internal(set) var isChance: Bool

        /// A crash at a time.
        ///
        /// - Parameter isChance: whether it says nothing until it has happened often enough.
        public init(time: Double, cause: String, account: BoxAccount?, isChance: Bool = false) {
            self.time = time
            self.cause = cause
            self.account = account
            self.isChance = isChance
        }

        /// Whether it is one more SIGKILL while the same instance had the same action in hand: none was finished in between, because the
        /// host begins with the one that it had not finished.
        fileprivate func repeats(_ other: Crash) -> Bool {
            guard cause == other.cause, let mine = account, let its = other.account,
                let name = mine.input?.identity
            else { return false }
            return name == its.input?.identity && mine.type == its.type && mine.instance == its.instance
                && mine.step == its.step
        }

        /// Whether something follows from it: somebody is known to have done it, in the host's own store.
        ///
        /// A member of a cluster that does without a library, or leaves an action out, would come to other states than the members that
        /// have its partitions next. What ends hosts there is set aside by the cluster, for all of them.
        fileprivate var counts: Bool {
            !isChance && (account.map { $0.blame != .nobody && $0.store == .host } ?? false)
        }

        /// How it was, as a part of a sentence.
        fileprivate var manner: String {
            switch cause {
            case "hung": "because it hung"
            case "memory": "because memory was short"
            default: "by \(cause)"
            }
        }
    }

    /// A library that is not loaded, and whose instances stand.
    public struct Quarantine: Equatable, Sendable {
        /// Names its bytes, in hexadecimal.
        public let digest: String
        /// The id of the plugin.
        public let plugin: String
        /// Since when.
        public let since: Double
        /// Why, as a sentence without an end mark.
        public let reason: String
    }

    /// An input that is not given to the instances any more.
    public struct SetAside: Equatable, Sendable {
        /// Its number in the journal, or its place where there is none.
        public let input: InputOrigin
        /// The global type of the action that was in hand; nil where that is not known.
        public let type: String?
        /// Since when.
        public let since: Double
        /// Why, as a sentence without an end mark.
        public let reason: String
    }

    /// The last crashes, oldest first; of more than are remembered, those of nobody are forgotten first.
    public var crashes: [Crash] = []
    /// The libraries that are in quarantine.
    public var quarantined: [Quarantine] = []
    /// The inputs that are set aside.
    public var setAside: [SetAside] = []
    /// How often each instance has ended the host, as far as that is known; never forgotten.
    public var deaths: [String: Int] = [:]

    /// So many kills in a row while the same action is in hand are no chance.
    static let chances = 3
    /// How many crashes are remembered.
    static let remembered = 200

    /// A ledger in which nothing has happened.
    public init() {}

    /// Enters a crash, and decides what follows; returns a sentence for each decision.
    ///
    /// A crash of which nobody knows whose it is leads to nothing, and neither does one in a partition of a cluster.
    public mutating func note(_ crash: Crash, under rules: SuperviseConfiguration) -> [String] {
        crashes.append(crash)
        if crash.isChance { noteRepetition() }
        let crash = crashes.last ?? crash
        if crash.counts || crash.account?.store != .host, let instance = crash.account?.instance {
            deaths[instance, default: 0] += 1
        }
        // Those from which nothing follows go first.
        while crashes.count > Self.remembered {
            crashes.remove(at: crashes.firstIndex { !$0.counts } ?? 0)
        }
        guard let account = crash.account, crash.counts else { return [] }
        return [setAside(after: crash, account, rules), quarantine(after: crash, account, rules)]
            .compactMap { $0 }
    }

    /// Lets the last kills count when they were too many for a chance.
    private mutating func noteRepetition() {
        let row = crashes.suffix(Self.chances)
        guard let last = row.last, row.count == Self.chances, row.allSatisfy(last.repeats) else { return }
        for index in row.indices { crashes[index].isChance = false }
    }

    /// Sets an input aside that has ended the host too often.
    private mutating func setAside(
        after crash: Crash, _ account: BoxAccount, _ rules: SuperviseConfiguration
    ) -> String? {
        guard let input = account.input, let name = input.identity,
            !setAside.contains(where: { $0.input.identity == name })
        else { return nil }
        let deaths = crashes.count { $0.counts && $0.account?.input?.identity == name }
        guard deaths >= rules.deaths else { return nil }
        let reason = "it has ended the host \(Self.times(deaths)), the last time when \(account.sentence)"
        setAside.append(SetAside(input: input, type: account.type, since: crash.time, reason: reason))
        return "the input \(name) is set aside: \(reason)"
    }

    /// Puts a library into quarantine that has crashed too often.
    private mutating func quarantine(
        after crash: Crash, _ account: BoxAccount, _ rules: SuperviseConfiguration
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

    /// What is told of a library that is in quarantine from here on.
    static func told(_ plugin: String, _ reason: String) -> String {
        "the plugin \(plugin) is in quarantine: \(reason); it is not loaded until gatehouse ctl release \(plugin) lets it out, or another library comes"
    }

    /// Lets the libraries of a plugin, or one with a digest or the beginning of it, out of quarantine; their crashes are forgotten.
    ///
    /// - Returns: those that were in quarantine.
    public mutating func release(_ name: String) -> [Quarantine] {
        let released = quarantined.filter {
            $0.plugin == name || name.utf8.count >= 8 && $0.digest.hasPrefix(name.lowercased())
        }
        quarantined.removeAll { released.contains($0) }
        crashes.removeAll { crash in released.contains { $0.digest == crash.account?.digest } }
        return released
    }

    /// Why a library is in quarantine; nil when it is not.
    public func quarantine(of digest: String) -> Quarantine? { quarantined.first { $0.digest == digest } }

    /// Why inputs of the journal are set aside, by their numbers.
    public var setAsideNumbers: [UInt64: String] {
        Dictionary(
            setAside.compactMap { entry in entry.input.number.map { ($0, entry.reason) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Why lines of inputs without a journal are set aside, by their places.
    public var setAsidePlaces: [String: String] {
        Dictionary(
            setAside.compactMap { entry in
                entry.input.number == nil ? entry.input.identity.map { ($0, entry.reason) } : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Forgets inputs of the journal that have become dead letters: they are not dispatched again.
    public mutating func dismiss(_ numbers: some Sequence<UInt64>) {
        let gone = Set(numbers)
        setAside.removeAll { $0.input.number.map(gone.contains) ?? false }
    }

    /// Forgets what lines of inputs have done: in another run the same place may be another line.
    public mutating func forgetPlaces() {
        setAside.removeAll { $0.input.number == nil }
        for index in crashes.indices where crashes[index].account?.input?.number == nil {
            var account = crashes[index].account
            account?.input = nil
            crashes[index] = Crash(
                time: crashes[index].time, cause: crashes[index].cause, account: account,
                isChance: crashes[index].isChance)
        }
    }

    /// A number of times, in words.
    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

extension InputOrigin {
    /// What is the same when the same input comes again; nil where nothing is.
    public var identity: String? {
        if let number { return "\(number)" }
        return place.flatMap { $0.isReadAgain ? "\($0.file):\($0.line)" : nil }
    }
}

extension HostPlan {
    /// The same plan with the instances of libraries that are in quarantine standing; in a cluster those of the scope `host`,
    /// because all members come to the same states only by the same instances.
    public func quarantining(_ ledger: CrashLedger) -> HostPlan {
        guard !ledger.quarantined.isEmpty else { return self }
        return quarantining { planned in
            guard configuration.cluster == nil || planned.scope == .host,
                let quarantine = planned.digest.flatMap({ ledger.quarantine(of: $0.hex) })
            else { return nil }
            return (
                quarantine.reason,
                Finding(
                    .warning, instance: planned.id,
                    "it is not loaded, because \(quarantine.plugin) is in quarantine: \(quarantine.reason); let it out with gatehouse ctl release \(planned.id), or bring another library"
                )
            )
        }
    }
}
