// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

extension ValidationCheck {
    /// Checks from loading to stopping.
    static let lifecycle: [ValidationCheck] = [
        ValidationCheck("lifecycle/load", "The library is loaded, and its entry answers.") {
            subject throws(CheckDiagnostic) in
            _ = try subject.load()
            return .pass
        },
        ValidationCheck("lifecycle/load-time", "That takes less than a second.", after: "lifecycle/load") {
            subject throws(CheckDiagnostic) in
            let start = ContinuousClock.now
            _ = try subject.load()
            return slowness(since: start, "while it is loaded; do nothing before start")
        },
        ValidationCheck(
            "lifecycle/make", "Its parts are made without any settings.", after: "lifecycle/load"
        ) { subject throws(CheckDiagnostic) in
            _ = try subject.instance()
            return .pass
        },
        ValidationCheck("lifecycle/start", "It starts, and stops again.", after: "lifecycle/make") {
            subject throws(CheckDiagnostic) in
            let host = try SubjectHost(subject)
            host.rest()
            _ = host.end()
            host.retire()
            return .pass
        },
        ValidationCheck(
            "lifecycle/start-time", "Starting takes less than a second.", after: "lifecycle/start"
        ) {
            subject throws(CheckDiagnostic) in
            _ = try subject.load()
            let start = ContinuousClock.now
            let host = try SubjectHost(subject)
            let diagnostic = slowness(since: start, "while it starts; begin long work in an effect")
            _ = host.end()
            return diagnostic
        },
        ValidationCheck(
            "lifecycle/restart", "It starts again after it was stopped.", after: "actions/examples"
        ) { subject throws(CheckDiagnostic) in
            var failing: [Set<String>] = []
            for _ in 0..<2 {
                let host = try SubjectHost(subject)
                for example in subject.examples { host.send(example) }
                host.rest()
                _ = host.end()
                host.retire()
                failing.append(
                    Set(
                        host.reports.compactMap {
                            if case .health(.failing(let reason), _) = $0 { reason } else { nil }
                        }))
            }
            let new = failing[1].subtracting(failing[0]).sorted()
            return .fail(
                forEach: new.map {
                    "expected it to start a second time as it did before, found that it says \(Quotation.of($0)); give back in stopping what start takes"
                })
        },
        ValidationCheck(
            "lifecycle/side-by-side", "Two instances do not know of each other.", after: "actions/examples"
        ) { subject throws(CheckDiagnostic) in
            // A plugin that hears everything under global names also hears actions for the other instance.
            guard !subject.manifest.consumes.contains("*") else { return .skip("it hears all actions") }
            let other = "\(subject.id)-other"
            let states = try [[other], [subject.id, other]].map { ids throws(CheckDiagnostic) in
                let host = try SubjectHost(subject, running: ids)
                for id in ids { for example in subject.examples { host.send(example, to: id) } }
                host.rest()
                return try host.state(of: ids.count - 1)
            }
            guard let alone = states[0], let beside = states[1] else { return .skip("it keeps no state") }
            return .fail(
                "expected the state \(SubjectHost.shown(alone)) as without another instance, found \(SubjectHost.shown(beside)) after that one had heard actions; keep no variables outside of instances",
                unless: alone == beside)
        },
        ValidationCheck(
            "lifecycle/create-destroy",
            "It is created, started and released 100 times without leaking.",
            after: "actions/examples", within: .seconds(30)
        ) { subject throws(CheckDiagnostic) in
            let end = ContinuousClock.now.advanced(by: .seconds(15))
            for _ in 0..<10 where ContinuousClock.now < end { try cycle(subject) }
            let before = ProcessUsage.now
            var count = 0
            while count < 100, ContinuousClock.now < end {
                try cycle(subject)
                count += 1
            }
            var after = ProcessUsage.now
            let manyThreads = max(20, count / 2)
            // The threads of dispatch queues end some seconds after their last work.
            let rest = ContinuousClock.now.advanced(by: .seconds(10))
            while after.threads - before.threads >= manyThreads, ContinuousClock.now < rest {
                Subject.pause(.milliseconds(100))
                after = ProcessUsage.now
            }
            var kept: [String] = []
            if after.descriptors - before.descriptors >= max(5, count / 2) {
                kept.append("\(after.descriptors - before.descriptors) descriptors")
            }
            if after.threads - before.threads >= manyThreads {
                kept.append("\(after.threads - before.threads) threads")
            }
            if !kept.isEmpty {
                return .fail(
                    "expected nothing kept after \(count) instances, found \(kept.joined(separator: " and ")); give back in stopping what start takes"
                )
            }
            let memory = (after.memory - before.memory) >> 20
            return .warn(
                "expected less than 16 MiB kept after \(count) instances, found \(memory) MiB; release what an instance keeps",
                unless: memory < 16)
        },
        running("lifecycle/stop", "It stops within two seconds after it has heard actions.") { host in
            host.sendAll()
            let start = ContinuousClock.now
            let left = host.end(within: .seconds(2)).reduce(0) { $0 + $1.count }
            if left > 0 {
                return .fail(
                    "expected it to be finished 2 s after it was asked to stop, found \(left) of its effects running; end them when they are cancelled"
                )
            }
            return slowness(
                since: start, of: .seconds(3),
                "in stopping; give back what it has and return, and mark long work as finishing")
        },
        running("lifecycle/late-output", "It emits nothing after it was released.") { host in
            host.exercise()
            _ = host.end()
            host.retire()
            let before = host.lateOutputs
            host.pause(.milliseconds(300))
            let late = host.lateOutputs - before
            return .fail(
                "expected no actions from an instance that has gone, found \(late) in 300 ms; end in stopping what emits",
                unless: late == 0)
        },
    ]

    /// Makes an instance, starts it, sends it examples, and releases it.
    private static func cycle(_ subject: Subject) throws(CheckDiagnostic) {
        let host = try SubjectHost(subject, records: false)
        for example in subject.examples.prefix(10) { host.send(example) }
        host.rest(within: .milliseconds(100))
        _ = host.end()
        host.retire()
    }

    /// Returns the diagnostic on a duration.
    private static func slowness(
        since start: ContinuousClock.Instant, of limit: Duration = .seconds(1), _ what: String
    ) -> CheckDiagnostic {
        let time = start.duration(to: .now)
        return .warn(
            "expected less than \(Int(limit / .seconds(1))) s, found \(Int(time / .milliseconds(1))) ms \(what)",
            unless: time < limit)
    }
}
