// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Something that one side did otherwise when the same actions came once more: its code is not deterministic.
struct TrialUnsteadiness: Equatable, Sendable {
    /// The side that did it; the raw values are the words for programs.
    enum Side: String, Sendable {
        /// The reference.
        case before
        /// The candidate.
        case now
    }

    /// What was not the same.
    enum Subject: Equatable, Sendable {
        /// A consequence.
        case action(TrialPlace)
        /// A place of the state, with the instance whose slice it is in; nil for none.
        case state(JSONPointer, instance: String?)
    }

    /// The side.
    let side: Side
    /// What was not the same.
    let subject: Subject
    /// The action that it followed from; for a place of the state the last one.
    let sequence: UInt64
    /// What it was the first time; nil for nothing.
    let first: Value?
    /// What it was the second time; nil for nothing.
    let second: Value?

    /// Whether another one is about the same on the same side.
    func isAbout(_ other: TrialUnsteadiness) -> Bool { side == other.side && subject == other.subject }

    /// The instance whose code it is, as far as that is known.
    var instance: String? {
        switch subject {
        case .action(let place): place.instance
        case .state(_, let instance): instance
        }
    }

    /// One sentence that names the instance and what differed.
    var sentence: String {
        let version = side == .now ? "the candidate" : "what it is compared with"
        let values = "\(first.short), then \(second.short)"
        switch subject {
        case .action(let place):
            let payloads =
                first?["payload"] == nil && second?["payload"] == nil
                ? values : "\((first?["payload"]).short), then \((second?["payload"]).short)"
            return
                "\(place.instance ?? "an instance") is not deterministic in \(version): tried twice, \(place.type) after \(sequence) was \(payloads)"
        case .state(let pointer, let instance):
            return
                "\(instance ?? "an instance") is not deterministic in \(version): tried twice, the state at \(pointer) was \(values)"
        }
    }

    /// The same for programs.
    var value: Value {
        var members: Members = [
            "kind": "unsteady", "side": .string(side.rawValue), "sentence": .string(sentence),
        ]
        members["instance"] = instance.map(Value.string)
        switch subject {
        case .action(let place):
            members["type"] = .string(place.type)
            members["after"] = Value(sequence)
        case .state(let pointer, _): members["pointer"] = .string("\(pointer)")
        }
        members["first"] = first
        members["second"] = second
        return .object(members)
    }
}
