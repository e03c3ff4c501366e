// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Glibc

extension ValidationCheck {
    /// Checks on the plugin's use of the machine.
    static let resources: [ValidationCheck] = [
        ValidationCheck(
            "resources/load-memory", "Loading it takes less than 32 MiB.", after: "lifecycle/load"
        ) {
            subject throws(CheckDiagnostic) in
            let before = ProcessUsage.now.memory
            _ = try subject.load()
            let memory = (ProcessUsage.now.memory - before) >> 20
            return .warn(
                "expected less than 32 MiB, found \(memory) MiB; import FoundationEssentials in place of Foundation, and make tables when they are needed",
                unless: memory < 32)
        },
        running("resources/blocking", "It returns at once when it hears an action.", records: false) { host in
            var slow: [String] = []
            var isBad = false
            for example in host.subject.recording.prefix(100) {
                guard let action = host.action(of: example) else { continue }
                host.subject.announce("when it heard \(example.type)")
                // The shortest of three, because others use the machine too.
                let time =
                    (0..<3).map { _ in
                        let start = ContinuousClock.now
                        host.dispatch(action)
                        return start.duration(to: .now)
                    }.min() ?? .zero
                guard time > .milliseconds(20) else { continue }
                if time > .milliseconds(200) { isBad = true }
                slow.append(
                    "\(example.type): expected it to return within 20 ms, found \(Int(time / .milliseconds(1))) ms; do long work in an effect"
                )
            }
            return isBad ? .fail(forEach: slow) : .warn(forEach: slow)
        },
        running("resources/idle", "It takes no processor time while nothing happens.", records: false) {
            host in
            host.exercise()
            host.pause(.milliseconds(100))
            let before = ProcessUsage.Turns()
            host.pause(.milliseconds(400))
            let share = ProcessUsage.Turns().share(since: before)
            return .warn(
                "expected no activity while nothing happens, found \(Int(share * 100)) % of a processor in use; wait for events instead of polling",
                unless: share < 0.25)
        },
        running(
            "resources/memory", "It does not keep memory for each of 100,000 actions.", records: false,
            within: .seconds(60)
        ) { host throws(CheckDiagnostic) in
            let warmUp = try hear(10_000, host, within: .seconds(4))
            let before = ProcessUsage.now.memory
            let count = try hear(90_000, host, within: .seconds(12))
            let kept = ProcessUsage.now.memory - before
            guard count > 0, kept > 8 << 20 else { return .pass }
            let each = kept / count
            let sentence =
                "expected no memory kept for an action, found \(each) bytes for each of \(count + warmUp) actions; bound what the plugin keeps"
            return each >= 1_024 ? .fail(sentence) : each >= 64 ? .warn(sentence) : .pass
        },
        growth(
            "resources/descriptors", "It opens no descriptor for each action.", of: "descriptors",
            "close what it opens", \.descriptors),
        growth(
            "resources/threads", "It starts no thread for each action.", of: "threads",
            "use effects, which share threads", \.threads),
    ]

    /// Sends the plugin up to `most` actions within the time limit; returns how many.
    private static func hear(
        _ most: Int, _ host: SubjectHost, within limit: Duration
    ) throws(CheckDiagnostic) -> Int {
        let actions = host.subject.recording.compactMap { host.action(of: $0) }
        guard !actions.isEmpty else { throw .skip("it takes no action that is known") }
        host.subject.announce("when it heard \(most) actions, one after the other")
        let end = ContinuousClock.now.advanced(by: limit)
        var count = 0
        while count < most, ContinuousClock.now < end {
            for action in actions { host.dispatch(action) }
            count += actions.count
            if count % (actions.count * 64) == 0 { host.rest(within: .seconds(1)) }
        }
        host.rest()
        return count
    }

    /// Creates a check that 1,000 actions do not grow a resource of the process.
    private static func growth(
        _ name: String, _ expectation: String, of what: String, _ advice: String,
        _ count: @escaping @Sendable (ProcessUsage) -> Int
    ) -> ValidationCheck {
        running(name, expectation, records: false, within: .seconds(30)) { host throws(CheckDiagnostic) in
            _ = try hear(100, host, within: .seconds(2))
            let before = count(.now)
            let heard = try hear(1_000, host, within: .seconds(5))
            let more = count(.now) - before
            return .fail(
                "expected no more \(what) after \(heard) actions, found \(more) more; \(advice)",
                unless: more < 100)
        }
    }
}
