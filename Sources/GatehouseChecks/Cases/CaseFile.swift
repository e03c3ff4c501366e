// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
package import GatehouseSupport

/// Test cases of a configuration, read from a file such as `plugins.test.json`.
package struct CaseFile: Sendable {
    /// The file name suffix.
    package static let ending = ".test.json"

    /// The file's name in messages.
    package let file: String
    /// The path of the configuration, relative to the same folder as `file`.
    package let configuration: String
    /// The cases in the order of the file; their names are unique.
    package let cases: [TestCase]

    /// Returns the name of a configuration's file of cases: `plugins.test.json` beside `plugins.json`.
    package static func name(beside configuration: String) -> String {
        let stem = configuration.hasSuffix(".json") ? String(configuration.dropLast(5)) : configuration
        return stem + ending
    }
}

extension CaseFile {
    /// The keys of the whole file; `$schema` is for editors, and any value of it is ignored.
    enum Key: String, CaseIterable {
        case schema = "$schema"
        case config, cases
    }

    /// Reads the bytes of a file of cases; `file` is its path in messages.
    ///
    /// Accepts any bytes, and comments in the text. A syntax error is reported alone; otherwise every problem is reported.
    ///
    /// - Parameter configuration: the path of the configuration, overriding the file's; nil to use the file's.
    package static func parse(
        _ bytes: [UInt8], file: String, configuration: String? = nil
    ) -> (file: CaseFile?, diagnostics: Diagnostics) {
        let log = LocatedLog(file: file)
        let read = LocatedNode(parsing: bytes, allowsComments: true, log: log).flatMap {
            Self.read($0, file: file, configuration: configuration)
        }
        return (read, Diagnostics(located: log))
    }

    /// Reads the whole file; nil, with a report, if it is not an object.
    private static func read(_ node: LocatedNode, file: String, configuration: String?) -> CaseFile? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let named = reader[.config].flatMap(readPath)
        let path = configuration ?? reader[.config].map { _ in Self.path(named ?? "", beside: file) }
        if path == nil, !file.hasSuffix(ending) {
            node.report(
                "expected the key \"config\", found none; name the configuration there, or let the name of this file end in \"\(ending)\""
            )
        }
        let cases = reader.required(.cases, readCases) ?? []
        return CaseFile(
            file: file, configuration: path ?? String(file.dropLast(ending.count)) + ".json", cases: cases)
    }

    /// Reads the path of a configuration.
    private static func readPath(_ node: LocatedNode) -> String? {
        guard let text = node.string() else { return nil }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            return node.fail(
                expected: "the path of a configuration",
                advice: "write \"plugins.json\" for the one beside this file")
        }
        return text
    }

    /// Resolves a path relative to the folder of a file.
    private static func path(_ path: String, beside file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }

    /// Reads the cases, and reports duplicate names.
    private static func readCases(_ node: LocatedNode) -> [TestCase]? {
        guard let elements = node.elements else {
            return node.fail(expected: "an array of objects", advice: "write [{ \"name\": \"…\" }]")
        }
        var lines: [String: Int] = [:]
        return elements.compactMap { element in
            guard let read = TestCase.read(element) else { return nil }
            if let line = lines[read.name] {
                element.object?[TestCase.Key.name.rawValue]?.report(
                    "the name \(Quotation.of(read.name)) is taken by the case on line \(line); rename one of them"
                )
            } else {
                lines[read.name] = element.value.position.line
            }
            return read
        }
    }
}
