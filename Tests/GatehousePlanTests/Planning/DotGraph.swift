// SPDX-License-Identifier: Apache-2.0

/// A graph read from the DOT language, as far as the host writes it; stricter than Graphviz itself.
struct DotGraph {
    /// Text that is no graph.
    struct Malformed: Error { let place: Int }

    /// The attributes of each node that is declared.
    private(set) var nodes: [String: [String: String]] = [:]
    /// The edges in order, with their attributes.
    private(set) var edges: [(from: String, to: String, attributes: [String: String])] = []

    private enum Token: Equatable { case word(String), symbol(String) }

    /// Reads a graph from its text.
    init(_ text: String) throws {
        var tokens = try Self.tokens(text)[...]
        func take(_ token: Token) throws {
            guard tokens.first == token else { throw Malformed(place: tokens.startIndex) }
            tokens.removeFirst()
        }
        func word() throws -> String {
            guard case .word(let word)? = tokens.first else { throw Malformed(place: tokens.startIndex) }
            tokens.removeFirst()
            return word
        }
        func attributes() throws -> [String: String] {
            var result: [String: String] = [:]
            guard tokens.first == .symbol("[") else { return result }
            try take(.symbol("["))
            while tokens.first != .symbol("]") {
                let name = try word()
                try take(.symbol("="))
                result[name] = try word()
                if tokens.first == .symbol(",") { try take(.symbol(",")) }
            }
            try take(.symbol("]"))
            return result
        }
        try take(.word("digraph"))
        _ = try word()
        try take(.symbol("{"))
        while tokens.first != .symbol("}") {
            let name = try word()
            switch tokens.first {
            case .symbol("="):
                try take(.symbol("="))
                _ = try word()
            case .symbol("->"):
                try take(.symbol("->"))
                let target = try word()
                edges.append((name, target, try attributes()))
            default: nodes[name] = try attributes()
            }
            try take(.symbol(";"))
        }
        try take(.symbol("}"))
        guard tokens.isEmpty else { throw Malformed(place: tokens.startIndex) }
    }

    /// Words, quoted texts and symbols.
    private static func tokens(_ text: String) throws -> [Token] {
        var tokens: [Token] = []
        var rest = Substring(text)
        while let first = rest.first {
            rest.removeFirst()
            switch first {
            case " ", "\n": continue
            case "\"":
                var word = ""
                while let next = rest.popFirst(), next != "\"" {
                    guard next == "\\" else {
                        guard next != "\n" else { throw Malformed(place: tokens.count) }
                        word.append(next)
                        continue
                    }
                    switch rest.popFirst() {
                    case "n": word.append("\n")
                    case let escaped? where escaped == "\"" || escaped == "\\": word.append(escaped)
                    default: throw Malformed(place: tokens.count)
                    }
                }
                tokens.append(.word(word))
            case "-":
                guard rest.popFirst() == ">" else { throw Malformed(place: tokens.count) }
                tokens.append(.symbol("->"))
            case "{", "}", "[", "]", "=", ",", ";": tokens.append(.symbol(String(first)))
            default:
                guard first.isLetter else { throw Malformed(place: tokens.count) }
                let tail = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                tokens.append(.word(String(first) + tail))
                rest.removeFirst(tail.count)
            }
        }
        return tokens
    }
}
