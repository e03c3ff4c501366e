// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

extension ValidationCheck {
    /// Checks on emitted actions and effects.
    package static let effects: [ValidationCheck] = [
        running("effects/declared", "It emits only what its manifest declares.") { host in
            host.exercise()
            return .fail(
                forEach: host.reports.compactMap { report in
                    guard case .refusedOutput(_, let type, _) = report else { return nil }
                    return
                        "expected only names of \"emits\", found that it emits \(Quotation.bare(type)); add it to plugin.json, or do not emit it"
                })
        },
        running("effects/wire-form", "What it emits can be written as JSON, and read again.") { host in
            host.exercise()
            var sentences = host.reports.compactMap { report -> String? in
                guard case .unwritable(_, let failure) = report else { return nil }
                return
                    "expected actions that JSON can hold, found one that it cannot: \(Subject.sentence(failure)); correct the plugin's Action"
            }
            for output in host.outputs {
                do throws(CodingFailure) {
                    _ = try output.action.wireForm()
                } catch {
                    sentences.append(
                        "\(output.action.type.name): expected a payload that JSON can hold, found one that it cannot: \(Subject.sentence(error)); correct the plugin's Action"
                    )
                }
            }
            var seen = Set<String>()
            return .fail(forEach: sentences.filter { seen.insert($0).inserted })
        },
        running(
            "effects/endless", "No action leads to more than a thousand others in a row.", records: false
        ) { host in
            for action in host.subject.recording {
                let before = host.host.counts.cutInputs
                host.send(action)
                if host.host.counts.cutInputs > before {
                    return .fail(
                        "expected an end, found that \(action.type) leads to more than 1,000 actions in a row; do not emit what the plugin answers itself"
                    )
                }
            }
            return .pass
        },
        ValidationCheck(
            "effects/cancel", "Its effects end when they are cancelled.", after: "actions/examples"
        ) { subject throws(CheckDiagnostic) in
            let isGone = try cancelled(subject)
            let end = ContinuousClock.now.advanced(by: .seconds(2))
            while !isGone(), ContinuousClock.now < end { Subject.pause(.milliseconds(20)) }
            return .fail(
                "expected nothing of it 2 s after its effects were cancelled, found that something still holds what it emits through; let effects look at Task.isCancelled, or set output.onCancel",
                unless: isGone())
        },
        running("effects/pool", "Its effects hold no thread of a pool while they wait.", records: false) {
            host throws(CheckDiagnostic) in
            guard let code = try host.subject.load().range else {
                return .skip("the loader does not say where it is")
            }
            host.sendAll()
            let threads = PoolThreads(runningCodeIn: code)
            var asleep: [Int32: (looks: Int, call: UInt64)] = [:]
            for look in 1...10 {
                host.pause(.milliseconds(100))
                for (id, call) in threads.waiting() { asleep[id] = ((asleep[id]?.looks ?? 0) + 1, call) }
                // On a busy machine an effect may begin only after the first look.
                if look > 1, asleep.isEmpty, host.host.queue.activity.isIdle { break }
            }
            // A short wait, as for a lock, is seen once; one that polls may be awake at a look.
            let held = asleep.values.filter { $0.looks >= 5 }
            let places = Set(held.compactMap { CodePlace(of: $0.call, isPlugin: true)?.placeInLibrary })
            return .fail(
                forEach: places.sorted().map {
                    "expected effects that wait without a thread, found that \($0) holds one of the few that the tasks of all instances share; await what it waits for, or wait on a thread of its own"
                })
        },
        ValidationCheck(
            "effects/same-twice", "The same actions lead to the same actions again.",
            after: "actions/examples", within: .seconds(30)
        ) { subject throws(CheckDiagnostic) in
            let (first, second) = (try oneByOne(subject, "first"), try oneByOne(subject, "second"))
            guard first != second else { return .pass }
            let (one, other) =
                zip(first, second).first { $0 != $1 } ?? ("\(first.count) actions", "\(second.count)")
            return .warn(
                "expected the same actions twice, found \(Quotation.bare(one)) and then \(Quotation.bare(other)); a replay shows the difference as one of the plugin"
            )
        },
    ]

    /// Returns what the plugin emits in answer to everything that it accepts, with no data kept from before; effects of one
    /// action may emit in any order.
    private static func oneByOne(_ subject: Subject, _ folder: String) throws(CheckDiagnostic) -> [String] {
        subject.dataFolder = ScratchFolder.ofChild + "/" + folder
        let host = try SubjectHost(subject)
        // Effects may hold a run open for as long as they like.
        let end = ContinuousClock.now.advanced(by: .seconds(8))
        for action in subject.recording.prefix(200) where ContinuousClock.now < end {
            host.send(action)
            host.rest(within: min(.seconds(3), ContinuousClock.now.duration(to: end)))
        }
        return host.outputs.map(\.text).sorted()
    }

    /// Sends the plugin everything that it accepts, cancels its effects, and releases it; the answer tells whether nothing holds its
    /// output any more.
    private static func cancelled(_ subject: Subject) throws(CheckDiagnostic) -> () -> Bool {
        let host = try SubjectHost(subject, records: false)
        for action in subject.recording { host.send(action) }
        host.pause(.milliseconds(100))
        subject.announce("when its effects were cancelled")
        host.host.turn { _ in host.instance.cancelEffects() }
        _ = host.end()
        host.retire()
        return { [weak output = host.instance.outlet] in output == nil }
    }
}
