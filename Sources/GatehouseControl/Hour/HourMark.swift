// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// Something that happened between two samples, and that explains why the numbers changed.
struct HourMark: Sendable {
    /// What can happen.
    enum Event: Sendable {
        /// The process began to take samples.
        case start
        /// A reload made this generation.
        case reload(generation: Int)
        /// The gate of an instance moved to this position.
        case gate(HourSample.Gate)
        /// The worker of an instance ended unasked, so many times.
        case deaths(Int)
        /// An instance is made from other bytes, of this version.
        case build(SemanticVersion)
        /// The library of an instance came into quarantine.
        case quarantine
        /// The library of an instance left quarantine.
        case release
    }

    /// When it was noticed, in seconds since 1970: at the sample after it.
    let moment: Double
    /// What happened.
    let event: Event
    /// The id of the instance to which it happened; nil for the host.
    var instance: String?

    /// Returns what happened to an instance between two samples.
    ///
    /// - Parameters:
    ///   - before: the earlier sample; nil if it did not have the instance.
    ///   - moment: when the later sample was taken.
    static func all(
        from before: HourSample.Instance?, to now: HourSample.Instance, at moment: Double
    ) -> [HourMark] {
        var events: [Event] = []
        if let before, before.gate != now.gate { events.append(.gate(now.gate)) }
        if let old = before?.build, let new = now.build, old != new { events.append(.build(new.version)) }
        // A new worker counts from the start again.
        let deaths = now.deaths - (before?.deaths ?? 0)
        if deaths > 0 { events.append(.deaths(deaths)) }
        if now.isQuarantined != (before?.isQuarantined ?? false) {
            events.append(now.isQuarantined ? .quarantine : .release)
        }
        return events.map { HourMark(moment: moment, event: $0, instance: now.id) }
    }

    /// The mark as the control socket writes it.
    var value: Value {
        var members: Members = ["moment": .double((moment * 1_000).rounded() / 1_000)]
        switch event {
        case .start: members["event"] = "start"
        case .reload(let generation):
            members["event"] = "reload"
            members["generation"] = Value(generation)
        case .gate(let gate):
            members["event"] = "gate"
            members["gate"] = .string(gate.word)
        case .deaths(let count):
            members["event"] = "death"
            members["count"] = Value(count)
        case .build(let version):
            members["event"] = "build"
            members["version"] = .string("\(version)")
        case .quarantine: members["event"] = "quarantine"
        case .release: members["event"] = "release"
        }
        members["id"] = instance.map(Value.string)
        return .object(members)
    }
}
