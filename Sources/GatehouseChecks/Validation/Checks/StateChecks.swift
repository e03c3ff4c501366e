// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

extension ValidationCheck {
    /// Checks that the state can be kept, restored and rebuilt.
    package static let state: [ValidationCheck] = [
        ValidationCheck("state/declared", "The note is right about state.", after: "lifecycle/load") {
            subject throws(CheckDiagnostic) in
            let exports = try subject.load().exports
            guard let declared = subject.note.keepsState, declared != exports.keepsState else { return .pass }
            return .fail(forEach: LoadingError.state(declared: declared).sentences)
        },
        ValidationCheck("state/version", "Versions of the state begin with 1.", after: "lifecycle/load") {
            subject throws(CheckDiagnostic) in
            let version = try subject.load().exports.stateVersion
            return version > 0 ? .pass : .fail(forEach: LoadingError.stateVersion(version).sentences)
        },
        ValidationCheck(
            "state/first", "The same settings give the same first state.", after: "lifecycle/make"
        ) { subject throws(CheckDiagnostic) in
            let states = [try written(kept(subject), subject), try written(kept(subject), subject)]
            return .warn(
                "expected two instances with the same state, found \(SubjectHost.shown(states[0])) and \(SubjectHost.shown(states[1])); let actions bring what differs",
                unless: states[0] == states[1])
        },
        keeping("state/round-trip", "Its state comes back from the JSON that it is written as.") {
            host throws(CheckDiagnostic) in
            let subject = host.subject
            let states: [Value?]
            do throws(CodingFailure) {
                let first = try host.writtenState()
                host.exercise()
                states = [first, try host.writtenState()]
            } catch {
                return unwritten(error)
            }
            for case let value? in states {
                let other = try kept(subject)
                subject.announce("while the state \(SubjectHost.shown(value)) was read")
                do throws(CodingFailure) {
                    try other.slice.restore(value)
                } catch {
                    return .fail(
                        "expected the state to come back from \(SubjectHost.shown(value)), found a refusal, \(Subject.sentence(error)); correct the State type"
                    )
                }
                let again = try written(other, subject)
                if again != value {
                    return .fail(
                        "expected the state \(SubjectHost.shown(value)) to come back as it is, found \(SubjectHost.shown(again)); correct the State type"
                    )
                }
            }
            return .pass
        },
        keeping("state/odd-values", "No JSON in place of its state ends the process.") {
            host throws(CheckDiagnostic) in
            let subject = host.subject
            host.exercise()
            let whole = try host.state() ?? .null
            let end = ContinuousClock.now.advanced(by: .seconds(5))
            let usual = Set(variants(of: whole, by: OddValues.kinds + [-1, .double(-0.5)]))
            for odd in variants(of: whole) {
                subject.announce("while the state \(SubjectHost.shown(odd)) was read")
                let isTaken = host.host.turn { _ in
                    (try? host.instance.slice.restore(odd)) != nil
                }
                guard isTaken else { continue }
                _ = try host.state()
                // A state that a run could have reached must be usable, not just readable.
                guard usual.contains(odd), ContinuousClock.now < end else { continue }
                for example in subject.examples.prefix(20) {
                    guard let action = host.action(of: example) else { continue }
                    subject.announce(
                        "when it heard \(example.type) with the state \(SubjectHost.shown(odd))")
                    host.dispatch(action)
                }
            }
            return .pass
        },
        ValidationCheck(
            "state/migrate", "It takes over states of each earlier version, and refuses what is none.",
            after: "lifecycle/make"
        ) { subject throws(CheckDiagnostic) in
            let exports = try subject.load().exports
            guard exports.stateVersion > 1 || !subject.request.states.isEmpty else {
                return .skip("there are no earlier versions of its state")
            }
            let instance = try kept(subject)
            if !subject.request.states.isEmpty {
                return try takeOver(subject.request.states, instance, exports, subject)
            }
            let present = try written(instance, subject)
            var silent: [Int] = []
            for version in 1..<min(exports.stateVersion, 100) {
                var isTaken = false
                for value in [present, .object(Members())] + variants(of: present) {
                    subject.announce("in migrate, with \(SubjectHost.shown(value)) of version \(version)")
                    let state = VersionedState(version: version, value: value)
                    if (try? state.restore(instance.slice, of: exports)) != nil { isTaken = true }
                }
                if !isTaken { silent.append(version) }
            }
            return .warn(
                forEach: silent.map {
                    "expected migrate to take over some state of version \($0), found that it refuses all that were tried; look at it with a state that this version wrote"
                })
        },
        keeping("state/replay", "The same actions give the same state again, as after a crash.") {
            host throws(CheckDiagnostic) in
            let subject = host.subject
            host.exercise()
            let state = try host.state()
            let second = try kept(subject)
            for heard in host.processed {
                guard let local = heard.ownType ?? second.planned.names.local(of: heard.action.type.name)
                else { continue }
                subject.announce("when its reducer was given \(local) again")
                _ = second.reduce(heard.action.renamed(ActionType(local)))
            }
            let again = try written(second, subject)
            return .fail(
                "expected the state \(SubjectHost.shown(state ?? .null)) again, found \(SubjectHost.shown(again)); let the reducer use nothing but the action and the state",
                unless: again == state)
        },
    ]

    /// Creates a check of a running plugin that keeps state; skipped for others.
    private static func keeping(
        _ name: String, _ expectation: String,
        _ work: @escaping @Sendable (SubjectHost) throws(CheckDiagnostic) -> CheckDiagnostic
    ) -> ValidationCheck {
        running(name, expectation) { host throws(CheckDiagnostic) in
            host.instance.slice.isEmpty ? .skip("it keeps no state") : try work(host)
        }
    }

    /// Checks that an instance takes over recorded states of earlier versions.
    private static func takeOver(
        _ states: [VersionedState], _ instance: Instance, _ exports: PluginExports, _ subject: Subject
    ) throws(CheckDiagnostic) -> CheckDiagnostic {
        var refused: [String] = []
        for state in states {
            subject.announce("in migrate, with \(SubjectHost.shown(state.value)) of version \(state.version)")
            do throws(StateRefusal) {
                try state.restore(instance.slice, of: exports)
            } catch {
                refused.append("\(SubjectHost.shown(state.value)): \(error)")
            }
        }
        return .fail(forEach: refused)
    }

    /// Returns an instance that keeps state; skips the check for one that does not.
    private static func kept(_ subject: Subject) throws(CheckDiagnostic) -> Instance {
        let instance = try subject.instance()
        guard !instance.slice.isEmpty else { throw .skip("it keeps no state") }
        return instance
    }

    /// Returns the state of an instance outside a host.
    private static func written(_ instance: Instance, _ subject: Subject) throws(CheckDiagnostic) -> Value {
        subject.announce("while its state was written")
        do throws(CodingFailure) {
            return try instance.slice.value() ?? .null
        } catch {
            throw unwritten(error)
        }
    }

    /// Returns the finding on a state that JSON cannot represent.
    private static func unwritten(_ failure: CodingFailure) -> CheckDiagnostic {
        .fail(
            "expected a state that can be written as JSON, found a refusal, \(Subject.sentence(failure)); correct the State type"
        )
    }

    /// Returns a value with other values at each of its places, in turn.
    private static func variants(
        of value: Value,
        by odd: [Value] = OddValues.kinds + OddValues.numbers + OddValues.texts.prefix(6).map(Value.string)
    ) -> [Value] {
        OddValues.places(in: value, containers: true).prefix(40).flatMap { place in
            odd.compactMap { OddValues.replacing(place, in: value, by: $0) }
        }
    }
}
