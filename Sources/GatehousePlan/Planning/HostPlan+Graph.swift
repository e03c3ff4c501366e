// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// The plan as a picture.
extension HostPlan {
    /// Who hears and emits what, in the DOT language of Graphviz.
    ///
    /// Boxes are instances with their places in the chain, ellipses are types, diamonds are gates that start closed or that
    /// something moves. A dotted line leads from a type to the narrowest pattern that covers it.
    package var graph: String {
        var lines = ["digraph gatehouse {", "  rankdir=LR;"]
        let instances = instances
        var names = declaredNames
        for (index, instance) in instances.enumerated() {
            let label = "\(index + 1) \(instance.id)\n\(instance.manifest.id) \(instance.manifest.version)"
            lines.append("  \(Self.node(instance)) [shape=box, label=\(Self.quoted(label))];")
            lines += gateLines(of: instance, &names)
        }
        let ordered = names.map { (name: $0, text: $0.description) }
            .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        for (name, text) in ordered {
            lines.append("  \(Self.node(name)) [shape=ellipse, label=\(Self.quoted(text))];")
            if let wider = Self.narrowest(of: names, covering: name) {
                lines.append("  \(Self.node(name)) -> \(Self.node(wider)) [style=dotted];")
            }
        }
        for instance in instances {
            let entrance = hasGateNode(instance) ? Self.gateNode(instance) : Self.node(instance)
            for (global, local) in instance.names.heard.map({ ($0.global, $0.local) }) {
                let label = global == local ? "" : " [label=\(Self.quoted(local.description))]"
                lines.append("  \(Self.node(global)) -> \(entrance)\(label);")
            }
            for emitted in instance.names.emitted {
                lines.append("  \(Self.node(instance)) -> \(Self.node(emitted));")
            }
        }
        return (lines + ["}"]).map { $0 + "\n" }.joined()
    }

    /// Whether the gate of an instance is more than an open one that only the operator moves.
    private func hasGateNode(_ instance: PlannedInstance) -> Bool { instance.entry.gate != .active }

    /// The gate of an instance, in front of it.
    private func gateLines(of instance: PlannedInstance, _ names: inout Set<TypePattern>) -> [String] {
        guard hasGateNode(instance) else { return [] }
        let gate = Self.gateNode(instance)
        let start = start(of: instance).map { "starts " + $0.rawValue } ?? "depends on a plugin"
        var lines = ["  \(gate) -> \(Self.node(instance));"]
        switch instance.entry.gate {
        case .active, .bypass:
            lines.append("  \(gate) [shape=diamond, label=\(Self.quoted(start))];")
        case .action(let control, let at, _, _, _):
            let name = TypePattern(stem: control, isOpen: false)
            names.insert(name)
            let place = at.tokens.isEmpty ? "the payload" : at.description
            lines.append("  \(gate) [shape=diamond, label=\(Self.quoted("\(place)\n\(start)"))];")
            lines.append("  \(Self.node(name)) -> \(gate) [style=dashed, label=\"moves\"];")
        case .state(let pointer):
            lines.append("  \(gate) [shape=diamond, label=\(Self.quoted("state \(pointer)\n\(start)"))];")
        }
        return lines
    }

    /// The longest of the patterns that cover a name and are not the name itself.
    private static func narrowest(of names: Set<TypePattern>, covering name: TypePattern) -> TypePattern? {
        names.filter { $0 != name && $0.isOpen && $0.intersection(name) == name }
            .max { $0.stem.utf8.count < $1.stem.utf8.count }
    }

    /// The node of an instance; the word before keeps it apart from a type of the same name.
    private static func node(_ instance: PlannedInstance) -> String { quoted("instance " + instance.id) }

    /// The node of the gate in front of an instance.
    private static func gateNode(_ instance: PlannedInstance) -> String { quoted("gate " + instance.id) }

    /// The node of a type or pattern.
    private static func node(_ name: TypePattern) -> String { quoted("type " + name.description) }

    /// A text in double quotes; in a label, a line feed becomes a line's end there.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
