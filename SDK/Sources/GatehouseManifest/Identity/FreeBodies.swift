// SPDX-License-Identifier: Apache-2.0

/// The bodies in a Swift file that no other module sees, so that a change to one changes no code outside of the SDK.
///
/// With the settings of the SDK's package the compiler records such a body nowhere but in the library: neither its
/// instructions nor what it does to its arguments. `Scripts/check-binding` compares the modules that the compiler writes with
/// and without them. In doubt a body counts as seen.
struct FreeBodies {
    /// The offsets of the braces around a body.
    struct Braces {
        /// Of the opening one.
        let open: Int
        /// Of the closing one.
        let close: Int
    }

    /// The bodies, in the order of the file.
    private(set) var all: [Braces] = []
    /// The tokens of the file.
    private let file: SwiftTokens
    /// The texts of the tokens.
    private var tokens: [String] { file.texts }
    /// The index of the next token.
    private var position = 0

    /// Reads a file; nil when its brackets do not match.
    init?(_ file: SwiftTokens) {
        self.file = file
        guard readScope(), position == file.texts.count else { return nil }
    }

    /// Reads declarations up to the brace that closes the scope, or the end of the file; false when a bracket is left open.
    private mutating func readScope() -> Bool {
        var attributes: [String] = []
        while let token = peek(), token != "}" {
            switch token {
            case "@":
                attributes.append(readAttribute())
                continue
            case "func", "deinit", "subscript": break
            case "init" where peek(-1) != ".": break
            case "var": break
            case "let", "case", "typealias", "associatedtype", "import":
                attributes = []
                position += 1
                continue
            case "{", "(", "[":
                guard skipBrackets() else { return false }
                continue
            case _ where isType(token):
                attributes = []
                guard readType() else { return false }
                continue
            default:
                position += 1
                continue
            }
            guard readMember(areFree: Self.areHarmless(attributes)) else { return false }
            attributes = []
        }
        return true
    }

    /// Reads a type or extension; the next token is its keyword.
    private mutating func readType() -> Bool {
        let isProtocol = peek() == "protocol"
        while let token = peek(), token != "{" {
            if token == "}" { return false }
            if token == "(" || token == "[" {
                guard skipBrackets() else { return false }
            } else {
                position += 1
            }
        }
        // Requirements have no bodies.
        if isProtocol { return skipBrackets() }
        position += 1
        guard readScope(), peek() == "}" else { return false }
        position += 1
        return true
    }

    /// Reads a function, initializer, subscript or variable, up to the end of its body; the next token is its keyword.
    ///
    /// - Parameter areFree: whether its attributes leave its bodies to the library.
    private mutating func readMember(areFree: Bool) -> Bool {
        let keyword = tokens[position]
        position += 1
        if keyword == "func" { position += 1 }
        var areFree = areFree
        var isResult = keyword == "var"
        while let token = peek() {
            switch token {
            case "{":
                let open = position
                guard skipBrackets() else { return false }
                guard areFree else { return true }
                if keyword == "var" || keyword == "subscript" {
                    addAccessors(from: open, to: position - 1)
                } else {
                    add(from: open, to: position - 1)
                }
                return true
            case "(", "[":
                let open = position
                guard skipBrackets() else { return false }
                // Callers know the type that a body gives to `some`.
                if isResult, tokens[open..<position].contains("some") { areFree = false }
                continue
            case "some" where isResult: areFree = false
            case ">" where peek(-1) == "-": isResult = true
            // A value, whose type callers may know from it; or the next declaration.
            case "=" where keyword == "var": return true
            case "}": return true
            case _ where Self.ends.contains(token) && peek(-1) != ".": return true
            default: break
            }
            position += 1
        }
        return true
    }

    /// Adds the bodies of accessors, or that of the getter that has no keyword.
    ///
    /// - Parameters:
    ///   - open: the index of the brace before them.
    ///   - close: that of the brace after them.
    private mutating func addAccessors(from open: Int, to close: Int) {
        var index = open + 1
        guard index < close, tokens[index] == "@" || Self.accessors[tokens[index]] != nil else {
            return add(from: open, to: close)
        }
        var found: [(open: Int, close: Int)] = []
        while index < close {
            var attributes: [String] = []
            while tokens[index] == "@" {
                let end = position
                position = index
                attributes.append(readAttribute())
                index = position
                position = end
            }
            while ["mutating", "nonmutating", "consuming", "borrowing"].contains(tokens[index]) { index += 1 }
            guard let isFree = Self.accessors[tokens[index]] else { return }
            index += 1
            while index < close,
                ["(", ")", "async", "throws"].contains(tokens[index]) || tokens[index - 1] == "("
            {
                index += 1
            }
            guard tokens[index] == "{", let end = tokens[...].closingBracket(of: index) else { return }
            if isFree, Self.areHarmless(attributes) { found.append((index, end)) }
            index = end + 1
        }
        for body in found { add(from: body.open, to: body.close) }
    }

    /// Adds the body between two tokens, unless the module tells of it: it does of a type that is declared in a body, and of
    /// `#if`.
    private mutating func add(from open: Int, to close: Int) {
        let isTold = (open..<close).contains { index in
            ["#if", "typealias"].contains(tokens[index])
                || SwiftDeclaration.keywords.contains(tokens[index]) && tokens[index - 1] != "."
        }
        if !isTold { all.append(Braces(open: file.offset(of: open), close: file.offset(of: close))) }
    }

    /// Reads an attribute: its name, and its argument if that is a single word.
    private mutating func readAttribute() -> String {
        position += 1
        var name = peek() ?? ""
        position += 1
        if peek() == "(" {
            let open = position
            _ = skipBrackets()
            if position == open + 3 { name += "(\(tokens[open + 1]))" }
        }
        return name
    }

    /// Returns whether a token at the next position begins a type or an extension.
    private func isType(_ token: String) -> Bool {
        guard SwiftDeclaration.keywords.contains(token), let next = peek(1),
            ![".", "import"].contains(peek(-1))
        else { return false }
        return !["func", "var", "let", "subscript", "init", ":", "(", ")", ",", "="].contains(next)
    }

    /// Skips from a bracket to the one that closes it; false when none does.
    private mutating func skipBrackets() -> Bool {
        let end = tokens[...].closingBracket(of: position)
        position = end.map { $0 + 1 } ?? tokens.endIndex
        return end != nil
    }

    /// Returns the token at a distance from the next one, nil outside the file.
    private func peek(_ distance: Int = 0) -> String? {
        tokens.indices.contains(position + distance) ? tokens[position + distance] : nil
    }

    /// Returns whether attributes leave a body to the library.
    private static func areHarmless(_ attributes: [String]) -> Bool {
        attributes.allSatisfy(harmless.contains)
    }

    /// The attributes that do not take a body into the module, nor let a type or value be known from it.
    private static let harmless: Set<String> = [
        "available", "autoclosure", "concurrent", "discardableResult", "escaping", "exclusivity(unchecked)",
        "inline(never)", "MainActor", "preconcurrency", "safe", "Sendable", "unsafe", "usableFromInline",
        "_disfavoredOverload",
    ]

    /// The keywords of accessors, and whether callers depend on nothing but their presence. An observer that does not name the
    /// old value is called in another way.
    private static let accessors: [String: Bool] = [
        "get": true, "set": true, "_read": true, "_modify": true, "read": true, "modify": true,
        "unsafeAddress": true, "unsafeMutableAddress": true, "willSet": false, "didSet": false, "init": false,
        "mutating": false, "nonmutating": false, "consuming": false, "borrowing": false,
    ]

    /// The words that begin the next declaration, or belong to it.
    private static let ends = SwiftDeclaration.keywords.union(SwiftDeclaration.modifiers).union([
        "@", "static", "func", "var", "let", "init", "deinit", "case", "subscript", "typealias", "override",
        "mutating", "unsafe", "weak", "convenience", "required", "lazy", "unowned", "prefix", "postfix",
        "infix", "import", "#if", "#else", "#elseif", "#endif",
    ])
}
