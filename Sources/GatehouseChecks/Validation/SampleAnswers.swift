// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// What a plugin makes of its sample actions, one after the other, in a form that another process can compare.
struct SampleAnswers: Equatable, Sendable, ChildMessage {
    /// What it emits, in order, as type and payload.
    var outputs: [String] = []
    /// Its state after all of them; nil for a plugin that keeps none.
    var state: Value?
    /// Whether all effects had ended before the next action came; otherwise chance decides about the order.
    var isComplete = true

    /// The most sample actions that are sent.
    static let mostActions = 200

    /// Sends the sample actions to the plugin in this process.
    init(of subject: Subject) throws(CheckDiagnostic) {
        let host = try SubjectHost(subject, isReal: true)
        isComplete = host.rest()
        for example in subject.recording.prefix(Self.mostActions) {
            host.send(example)
            if isComplete { isComplete = host.rest() }
        }
        outputs = host.outputs.map { Self.text(of: $0.action) }
        state = try host.state().map(Self.canonical)
    }

    /// Answers that are collected elsewhere.
    init() {}

    /// An action as it is compared.
    static func text(of action: AnyAction) -> String {
        "\(action.type.name)\(action.payload.map { " " + canonical($0).json() } ?? "")\(action.isError ? ", an error" : "")"
    }

    /// A value as it is read from its text: what has come from another process is that already.
    static func canonical(_ value: Value) -> Value { (try? JSONText.parse(value.json())) ?? value }

    /// What differs from the answers in the host, a sentence for each part; none for the same answers.
    func differences(from host: SampleAnswers) -> [String] {
        var sentences: [String] = []
        if let place = zip(host.outputs, outputs).enumerated().first(where: { $0.element.0 != $0.element.1 })?
            .offset ?? (host.outputs.count == outputs.count ? nil : min(host.outputs.count, outputs.count))
        {
            let shown = { (answers: [String]) in
                place < answers.count ? Self.shortened(answers[place]) : "nothing"
            }
            sentences.append(
                "expected as output \(place + 1) in a worker what it emits in the host, \(shown(host.outputs)), found \(shown(outputs)); \(Self.advice)"
            )
        }
        if host.state != state {
            let shown = { (state: Value?) in state.map { Self.shortened($0.json()) } ?? "none" }
            sentences.append(
                "expected in a worker the state that it has in the host, \(shown(host.state)), found \(shown(state)); \(Self.advice)"
            )
        }
        return sentences
    }

    /// What an author can do.
    private static var advice: String {
        "let nothing depend on the process, its files or its network"
    }

    /// A text for a message.
    private static func shortened(_ text: String) -> String {
        Quotation.bare(text.count > 120 ? text.prefix(120) + "…" : text)
    }
}
