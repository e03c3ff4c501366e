// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// What input lines may carry, how they become actions, and how long they may be.
package struct IngressConfiguration: Equatable, Sendable {
    /// The only types that an input line may carry; nil for all but host actions.
    package var allow: [TypePattern]?
    /// Types that no input line may carry, whatever `allow` says.
    var deny: [TypePattern] = []
    /// How a line becomes a payload; nil where each line is an action.
    package var wrap: LineWrap?
    /// The addresses at which writers connect.
    package var listen: [ListenConfiguration] = []
    /// The files that are followed while others write to them.
    package var tail: [TailConfiguration] = []
    /// What standard input and the files of the command line may carry.
    package var input: InputConfiguration = InputConfiguration()
    /// What is kept of actions that may not come in; nil for nothing.
    package var keep: KeepConfiguration?
    /// The longest accepted line in bytes, without its line feed, 1 KiB…1 GiB.
    package var maximumLineBytes: Int = 16_777_216

    /// The range that `maximumLineBytes` may have, in bytes.
    static let maximumLineBytesRange = 1_024...1_073_741_824

    /// Whether every type that is not the host's may come in, so that nobody need ask.
    package var admitsAll: Bool { allow == nil && deny.isEmpty }

    /// Why no line may carry a type, nil when one may.
    package func objection(to type: String) -> String? {
        if let pattern = deny.first(where: { $0.covers(type) }) {
            return "input may not carry it: \"ingress\"/\"deny\" lists \(Quotation.of("\(pattern)"))"
        }
        let isListed = allow?.contains { $0.admits(type) }
        if ReservedNames.isForHost(type), isListed != true {
            return "input may not carry host actions; allow this one in \"ingress\"/\"allow\""
        }
        return isListed == false
            ? "input may not carry it: \"ingress\"/\"allow\" does not list it; add it there" : nil
    }
}

/// How a line that is no action by itself becomes the payload of one.
package enum LineWrap: Equatable, Sendable {
    /// Each line is the payload of an action of this type.
    case type(String)
    /// Each line is the payload of an action whose type is the text at this place in it.
    case typeAt(JSONPointer)
}

extension IngressConfiguration {
    /// The keys of `ingress`.
    package enum Key: String, CaseIterable {
        case allow, deny, wrap, listen, tail, input, keep, maximumLineBytes
    }

    /// The keys of `wrap`.
    enum WrapKey: String, CaseIterable {
        case type, typeAt
    }

    /// Reads the value of `ingress`; nil, with a report, if it is no object.
    package static func read(_ node: LocatedNode) -> IngressConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        var ingress = IngressConfiguration()
        ingress.allow = reader[.allow].flatMap(InputConfiguration.readPatterns)
        reader.set(&ingress.deny, to: .deny, InputConfiguration.readPatterns)
        ingress.wrap = reader[.wrap].flatMap(readWrap)
        reader.set(&ingress.listen, to: .listen, ListenConfiguration.readAll)
        reader.set(&ingress.tail, to: .tail, TailConfiguration.readAll)
        reader.set(&ingress.input, to: .input, InputConfiguration.read)
        ingress.keep = reader[.keep].flatMap(KeepConfiguration.read)
        reader.set(&ingress.maximumLineBytes, to: .maximumLineBytes) { $0.integer(in: maximumLineBytesRange) }
        if case .type(let type) = ingress.wrap, let objection = ingress.objection(to: type) {
            reader[.wrap]?.object?[WrapKey.type.rawValue]?.report(objection)
        }
        return ingress
    }

    /// Reads one of the two ways to name the action of a line.
    private static func readWrap(_ node: LocatedNode) -> LineWrap? {
        guard let reader = ObjectReader<WrapKey>(node) else { return nil }
        switch (reader[.type], reader[.typeAt]) {
        case (let type?, nil):
            guard let pattern = type.pattern() else { return nil }
            guard !pattern.isOpen else { return type.fail(LocatedNode.openType(pattern)) }
            return .type(pattern.stem)
        case (nil, let place?): return place.jsonPointer().map(LineWrap.typeAt)
        case (nil, nil):
            return node.fail(
                "expected the key \"type\" or \"typeAt\", found neither; name the action of each line, or where it stands"
            )
        case (_, let place?):
            place.reportKey("\"type\" and \"typeAt\" are both given; keep one of them")
            return nil
        }
    }
}
