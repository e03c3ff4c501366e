// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseValue

/// A file that is followed while others write to it.
package struct TailConfiguration: Equatable, Sendable {
    /// The path; a relative one starts at the folder of the configuration file.
    package var file: String
    /// What its lines may carry.
    package var input: InputConfiguration

    /// A file with these rules.
    package init(_ file: String, input: InputConfiguration = InputConfiguration()) {
        self.file = file
        self.input = input
    }
}

extension TailConfiguration {
    /// The keys of an element of `tail` that is an object.
    package enum Key: String, CaseIterable {
        case file, allow, deny
    }

    /// Reads a path or an object with one, or several of them.
    static func readAll(_ node: LocatedNode) -> [TailConfiguration]? {
        switch node.value.content {
        case .string, .object: read(node).map { [$0] }
        default: node.list(read)
        }
    }

    /// Reads a path, or an object with one.
    private static func read(_ node: LocatedNode) -> TailConfiguration? {
        guard case .object = node.value.content else { return readFile(node).map { TailConfiguration($0) } }
        guard let reader = ObjectReader<Key>(node), let file = reader.required(.file, readFile) else {
            return nil
        }
        return TailConfiguration(
            file, input: InputConfiguration(allow: reader[.allow], deny: reader[.deny]))
    }

    /// Reads the path of a file.
    private static func readFile(_ node: LocatedNode) -> String? {
        guard let path = node.name() else { return nil }
        guard !path.hasSuffix("/"), !path.utf8.contains(0) else {
            return node.fail(expected: "the path of a file", advice: "add its name")
        }
        return path
    }
}
