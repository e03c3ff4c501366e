// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

extension ValidationCheck {
    /// Checks on incoming actions.
    package static let actions: [ValidationCheck] = [
        ValidationCheck(
            "actions/examples", "It takes at least one payload of each action that it consumes.",
            after: "lifecycle/start", child: learn),
        ValidationCheck(
            "actions/recorded", "It takes the actions that its author has recorded.",
            after: "actions/examples"
        ) { subject throws(CheckDiagnostic) in
            guard !subject.request.input.isEmpty else { return .skip("no --input was given") }
            let host = try SubjectHost(subject)
            var sentences: [String] = []
            for action in subject.request.input {
                guard let failure = host.decodingFailure(sending: action) else { continue }
                sentences.append(
                    "\(action.type): \(Subject.sentence(failure)); correct the recording, or the plugin")
            }
            return .fail(forEach: Array(sentences.prefix(10)))
        },
        running("actions/unknown", "It survives actions of unknown types.") { host in
            let id = host.subject.id
            for type in ["unknown", "Unknown", "unknown/\(id)", "unknown-", "\u{1F600}", " ", "a\u{0}b"] {
                // With and without the plugin's own prefix.
                for name in [type, "\(id)/\(type)"] {
                    host.send(
                        line: Value.object(["type": .string(name), "payload": ["example": 1]]).json(),
                        as: "when it heard \(Quotation.bare(name))")
                }
            }
            return stillTakes(host)
        },
        survival("actions/missing-payload", "It survives a payload that is missing or null.") { example, _ in
            [nil, .null]
        },
        survival("actions/other-kinds", "It survives a payload, or a part of it, of another kind.") {
            example, _ in
            variants(of: example, by: OddValues.kinds, containers: true)
        },
        survival("actions/extreme-numbers", "It survives the largest and smallest numbers.") {
            example, _ in
            // Twice, so that sums overflow.
            variants(of: example, by: OddValues.numbers.flatMap { [$0, $0] })
        },
        survival("actions/odd-texts", "It survives texts that are empty, long, or not what they seem.") {
            example, _ in
            variants(of: example, by: OddValues.texts.map(Value.string))
        },
        survival("actions/large-payloads", "It survives large payloads.", within: .seconds(30)) {
            example, _ in
            variants(of: example, by: OddValues.large, containers: true)
        },
        survival("actions/deep-payloads", "It survives deeply nested payloads.") { example, _ in
            variants(of: example, by: OddValues.deep, containers: true)
        },
        survival("actions/missing-members", "It survives payloads with missing members.") { example, _ in
            guard let payload = example.payload else { return [nil] }
            return OddValues.places(in: payload, containers: true).filter { !$0.tokens.isEmpty }.compactMap {
                OddValues.replacing($0, in: payload, by: nil)
            }
        },
        running("actions/further-members", "It accepts payloads with additional members.") { host in
            var refused: [String] = []
            for example in host.subject.examples {
                guard case .object(var members)? = example.payload else { continue }
                members["furtherMember"] = ["example": 1]
                let further = ExampleAction(example.type, payload: .object(members))
                guard let failure = host.decodingFailure(sending: further) else { continue }
                refused.append(
                    "\(example.type): expected a further member to be ignored, found a refusal, \(Subject.sentence(failure)); senders may add members at any time"
                )
            }
            return .warn(forEach: refused)
        },
        running("actions/marks", "It survives actions that report errors and carry more than a payload.") {
            host in
            for example in host.subject.examples {
                let type = Value.string(host.subject.global(example.type)).json()
                let payload = example.payload.map { ",\"payload\":\($0.json())" } ?? ""
                for marks in [
                    ",\"error\":true", ",\"meta\":{}",
                    ",\"meta\":{\"id\":\"\",\"deep\":[[[]]]},\"error\":true",
                ] {
                    host.send(
                        line: "{\"type\":\(type)\(payload)\(marks)}",
                        as: "when it heard \(example.type) with \(marks.dropFirst())")
                }
            }
            return stillTakes(host)
        },
        survival(
            "actions/random", "It survives random payloads; --seed makes others.", within: .seconds(20)
        ) { example, numbers in
            let whole = (0..<100).map { _ in Optional(OddValues.random(&numbers)) }
            guard let payload = example.payload else { return whole }
            let places = OddValues.places(in: payload, containers: true)
            return whole
                + (0..<200).map { _ in
                    places.randomElement(using: &numbers).flatMap {
                        OddValues.replacing($0, in: payload, by: OddValues.random(&numbers))
                    }
                }
        },
    ]

    /// Learns which actions the plugin accepts.
    private static func learn(_ subject: Subject) throws(CheckDiagnostic) -> CheckDiagnostic {
        let host = try SubjectHost(subject)
        var unknown: [String] = []
        for pattern in subject.manifest.consumes.compactMap({ TypePattern($0) }) {
            let types = pattern.isOpen ? openTypes(of: pattern, host) : ["\(pattern)"]
            for type in types {
                guard let failure = learn(type, isOpen: pattern.isOpen, host) else { continue }
                unknown.append(
                    "\(type): expected to find a payload that it takes, found none after 200 attempts, the last with \(Subject.sentence(failure)); give one with --input"
                )
            }
        }
        host.rest()
        return .warn(forEach: unknown)
    }

    /// Finds accepted payloads of an action; returns the decoding failure when there are none.
    ///
    /// - Parameter isOpen: whether the manifest names the type by a pattern only.
    private static func learn(_ type: String, isOpen: Bool, _ host: SubjectHost) -> CodingFailure? {
        let subject = host.subject
        let search = PayloadSearch { host.decodingFailure(sending: ExampleAction(type, payload: $0)) }
        switch search.payload() {
        case .success(let payload):
            subject.examples.append(ExampleAction(type, payload: payload))
            if let whole = search.payload(payload, withMembersAmong: subject.request.words) {
                subject.examples.append(ExampleAction(type, payload: whole))
            }
            // A plugin that reads payloads as values accepts any; this one has a bit of everything.
            let rich: Value = [
                "id": "example", "amount": 1, "ratio": 0.5, "flag": true, "nothing": .null,
                "items": [["name": "example", "count": 2]],
            ]
            if isOpen, payload == nil, search.attempt(rich) == nil {
                subject.examples.append(ExampleAction(type, payload: rich))
            }
            return nil
        case .failure(let failure): return failure
        }
    }

    /// Returns types that a pattern covers and the plugin knows: any, or cases named in the library.
    private static func openTypes(of pattern: TypePattern, _ host: SubjectHost) -> [String] {
        let isCase = { (name: String) in
            host.decodingFailure(sending: ExampleAction(name))?.expected.hasPrefix("a case of ") != true
        }
        let example = pattern.stem + (pattern.stem.isEmpty ? "example/happened" : "example")
        if isCase(example) { return [example] }
        return host.subject.request.words.filter { pattern.covers($0) && isCase($0) }
    }

    /// Creates a check that the plugin survives some payloads, and then still accepts its examples.
    private static func survival(
        _ name: String, _ expectation: String, within limit: Duration = .seconds(10),
        payloads: @escaping @Sendable (ExampleAction, inout SeededNumbers) -> [Value?]
    ) -> ValidationCheck {
        running(name, expectation, records: false, within: limit) { host in
            var numbers = SeededNumbers(seed: host.subject.request.seed)
            // Slow plugins are reported by another check.
            let end = ContinuousClock.now.advanced(by: limit / 2)
            for example in host.subject.recording.prefix(200) {
                for (index, payload) in payloads(example, &numbers).enumerated()
                where ContinuousClock.now < end {
                    host.send(ExampleAction(example.type, payload: payload))
                    // Otherwise pending effects would fill the memory.
                    if index & 63 == 63 { host.rest(within: .milliseconds(100)) }
                }
            }
            return stillTakes(host)
        }
    }

    /// Waits for the consequences, and checks that the plugin still accepts its examples.
    private static func stillTakes(_ host: SubjectHost) -> CheckDiagnostic {
        host.rest()
        return .fail(
            forEach: host.subject.examples.compactMap { example in
                host.decodingFailure(sending: example).map {
                    "\(example.type): expected it to be taken as before, found a refusal, \(Subject.sentence($0))"
                }
            })
    }

    /// Returns the payload of an example with other values at each of its places, in turn.
    private static func variants(
        of example: ExampleAction, by odd: [Value], containers: Bool = false
    ) -> [Value?] {
        guard let payload = example.payload else { return odd }
        return OddValues.places(in: payload, containers: containers).prefix(50).flatMap { place in
            odd.map { OddValues.replacing(place, in: payload, by: $0) }
        } + odd
    }
}
