// SPDX-License-Identifier: Apache-2.0

/// A source file of the SDK reduced to what other modules can depend on.
///
/// A Swift file loses its comments and the bodies that no other module sees. A C header loses its comments and the version of
/// the SDK. All other files, and those that are not understood, stay as they are.
public struct SourceSkeleton: Sendable {
    /// What is left, each blank space reduced to one line feed or space, and none at the beginning and the end.
    public let text: [UInt8]
    /// The whole file.
    private let content: [UInt8]
    /// The braces around what is missing, in the order of the file.
    private let bodies: [FreeBodies.Braces]

    /// Reduces a file.
    ///
    /// - Complexity: linear in the size of the file.
    public init(of file: SourceFile) {
        content = file.content
        if file.path.hasSuffix(".h") {
            bodies = []
            text = Self.text(of: Self.withoutVersion(content), without: [])
        } else if file.path.hasSuffix(".swift"), let found = Self.bodies(in: file) {
            bodies = found
            text = Self.text(of: content, without: found)
        } else {
            bodies = []
            text = content
        }
    }

    /// The file with bodies that stop the program in place of those that no other module sees; all else stays in its place.
    ///
    /// A compiler must write the same module for it as for the file: that shows that the module depends on nothing that `text`
    /// lacks.
    public var stopping: [UInt8] {
        var code: [UInt8] = []
        var end = 0
        for body in bodies {
            code += content[end..<body.open]
            code += Array("{ fatalError() ".utf8)
            code += content[body.open...body.close].filter { $0 == UInt8(ascii: "\n") }
            end = body.close
        }
        return code + content[end...]
    }

    /// Returns the bodies that no other module sees; nil for a file that is not understood.
    private static func bodies(in file: SourceFile) -> [FreeBodies.Braces]? {
        guard let tokens = SwiftTokens(file) else { return nil }
        // The settings in a package description decide how everything is compiled.
        return file.path == "Package.swift" ? [] : FreeBodies(tokens)?.all
    }

    /// Returns code without comments and without what is between braces.
    private static func text(of content: [UInt8], without bodies: [FreeBodies.Braces]) -> [UInt8] {
        var text: [UInt8] = []
        var rest = bodies[...]
        var scanner = SwiftScanner(content)
        while scanner.peek() != nil {
            let start = scanner.position
            if scanner.skipBlank() {
                while scanner.skipBlank() {}
                let isSplit = content[start..<scanner.position].contains(UInt8(ascii: "\n"))
                guard !text.isEmpty, scanner.peek() != nil else { continue }
                text.append(isSplit ? UInt8(ascii: "\n") : UInt8(ascii: " "))
            } else if let body = rest.first, body.open == start {
                rest.removeFirst()
                scanner.skip(body.close + 1 - start)
                text += Array("{}".utf8)
            } else {
                if !scanner.skipLiteral(), !scanner.skipQuotedName() { scanner.skip() }
                text += content[start..<scanner.position]
            }
        }
        return text
    }

    /// Returns a C header without the version of the SDK, which informs people and which no plugin contains.
    private static func withoutVersion(_ content: [UInt8]) -> [UInt8] {
        let version = "#define GATEHOUSE_SDK_VERSION ".utf8
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return Array(lines.filter { !$0.starts(with: version) }.joined(separator: [UInt8(ascii: "\n")]))
    }
}
