// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

extension ValidationCheck {
    /// Checks on emitted actions and effects.
    package static let effects: [ValidationCheck] = [
        ValidationCheck(
            "effects/declared", "It emits only what its manifest declares.", after: "actions/examples"
        ) {
            subject throws(CheckDiagnostic) in
            let host = try exercised(subject)
            return .fail(
                forEach: host.reports.compactMap { report in
                    guard case .refusedOutput(_, let type, _) = report else { return nil }
                    return
                        "expected only names of \"emits\", found that it emits \(Quotation.bare(type)); add it to plugin.json, or do not emit it"
                })
        },
        ValidationCheck(
            "effects/wire-form", "What it emits can be written as JSON, and read again.",
            after: "actions/examples"
        ) { subject throws(CheckDiagnostic) in
            let host = try exercised(subject)
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
        ValidationCheck(
            "effects/endless", "No action leads to more than a thousand others in a row.",
            after: "actions/examples"
        ) { subject throws(CheckDiagnostic) in
            let host = try subject.host(records: false)
            for action in subject.recording {
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
            let left = try remains(of: subject)
            let end = ContinuousClock.now.advanced(by: .seconds(2))
            while left.output != nil, ContinuousClock.now < end { Subject.pause(.milliseconds(20)) }
            return left.output == nil
                ? .pass
                : .fail(
                    "expected nothing of it 2 s after its effects were cancelled, found that something still holds what it emits through; let effects look at Task.isCancelled, or set output.onCancel"
                )
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

    /// Sends the plugin everything that it accepts.
    private static func exercised(_ subject: Subject) throws(CheckDiagnostic) -> SubjectHost {
        let host = try subject.host()
        for action in subject.recording { host.send(action) }
        host.rest()
        return host
    }

    /// Returns what the plugin emits in answer to everything that it accepts, with no data kept from before; effects of one
    /// action may emit in any order.
    private static func oneByOne(_ subject: Subject, _ folder: String) throws(CheckDiagnostic) -> [String] {
        subject.dataFolder = subject.request.folder + "/" + folder
        let host = try subject.host()
        // Effects may hold a run open for as long as they like.
        let end = ContinuousClock.now.advanced(by: .seconds(8))
        for action in subject.recording.prefix(200) where ContinuousClock.now < end {
            host.send(action)
            host.rest(within: min(.seconds(3), ContinuousClock.now.duration(to: end)))
        }
        return host.outputs.map(\.text).sorted()
    }

    /// Tells whether an instance's output is still referenced.
    private struct Remains {
        /// Nil once nothing references it.
        weak var output: InstanceOutput?
    }

    /// Sends the plugin everything that it accepts, cancels its effects, and releases it.
    private static func remains(of subject: Subject) throws(CheckDiagnostic) -> Remains {
        let host = try subject.host(records: false)
        for action in subject.recording { host.send(action) }
        host.pause(.milliseconds(100))
        subject.announce("when its effects were cancelled")
        host.host.queue.withExclusiveAccess { host.instance.cancelEffects() }
        _ = host.end()
        host.retire()
        return Remains(output: host.instance.outlet)
    }
}
