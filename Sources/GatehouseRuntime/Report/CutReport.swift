// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// An input that led to more outputs than it may, in the words that an operator needs to find out why.
package struct CutReport: Sendable, Equatable {
    /// Where the input came from.
    let source: ActionSource
    /// The type of the action that led to the outputs.
    package let type: String
    /// The limit that was passed first, as the configuration calls it.
    let limit: String
    /// The number of outputs, or bytes of them, that the limit allows.
    let number: Int
    /// How many outputs were dropped.
    let dropped: Int
    /// The types that come again and again; of a chain, in the order in which one answers the other; of too many bytes, the one that
    /// was dropped first.
    let types: [String]
    /// The ids of the instances that emit these, in chain order.
    let instances: [String]

    /// What to say instead of the place and the type of the input.
    var sentence: String {
        let names = instances.isEmpty ? "" : ", emitted by \(instances.joined(separator: ", "))"
        if limit == "bytes" {
            let rest = dropped == 1 ? "1 action was dropped:" : "\(dropped) actions were dropped, first"
            return
                "it led to payloads of more than \(number) bytes, and \(rest) \(types.joined(separator: ", "))\(names); let no instance "
                + "put what it hears into what it emits more than once, or raise \"limits\"/\"bytes\""
        }
        let isChain = limit == "chain"
        let what = isChain ? "actions in a row, each in answer to the one before" : "actions"
        let rest = dropped == 1 ? "1 was dropped" : "\(dropped) were dropped"
        let repeats = types.joined(separator: isChain ? " -> " : ", ")
        return
            "it led to more than \(number) \(what), and \(rest); what repeats is \(repeats)\(names); let no instance answer what "
            + "it emits itself, or raise \"limits\"/\"\(limit)\""
    }
}

extension CutReport {
    /// What the queue told, with the instances that may have done it.
    init(_ loop: DispatchLoop<AnyAction>, emittedBy outputs: [InstanceOutput]) {
        source = loop.input.dispatcher
        type = loop.input.action.type.name
        number = loop.limit
        dropped = loop.dropped
        let names = loop.recent.map(\.action.type.name)
        (limit, types) =
            switch loop.kind {
            case .chain: ("chain", Self.cycle(names))
            case .actions: ("actions", Self.repeated(names))
            case .bytes: ("bytes", names)
            }
        let wanted = Set(types)
        instances = outputs.filter { $0.hasEmitted(oneOf: wanted) }.map(\.id)
    }

    /// The part of a sequence of types that repeats at its end; all of it when nothing does.
    static func cycle(_ types: [String]) -> [String] {
        for length in stride(from: 1, through: types.count / 2, by: 1) {
            let tail = types.suffix(length)
            if tail.elementsEqual(types.dropLast(length).suffix(length)) {
                return Array(tail + tail.prefix(1))
            }
        }
        return types
    }

    /// The types that are there more than once, each once, the most frequent first; all when none is.
    static func repeated(_ types: [String]) -> [String] {
        let counts = Dictionary(types.map { ($0, 1) }, uniquingKeysWith: +)
        let often = counts.filter { $0.value > 1 || counts.count == types.count }
        return often.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}
