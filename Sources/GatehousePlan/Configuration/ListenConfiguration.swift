// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
internal import GatehouseValue

/// Where writers of lines connect.
package struct ListenConfiguration: Equatable, Sendable {
    /// The places to which writers can connect.
    package enum Place: Equatable, Sendable {
        /// A Unix socket at a path.
        case path(String)
        /// The sockets that systemd hands over, or those with one name.
        case handedOver(String?)
    }

    /// The place to which writers connect.
    package var place: Place
    /// Whether they are told how many of their lines are done with.
    package var acknowledges: Bool
    /// The permissions of the socket's file.
    package var mode: Int
    /// What writers may send.
    package var input = InputConfiguration()

    /// What is wrong with an address.
    package struct Problem: Error, Equatable, Sendable {
        /// What an address is like.
        package let expected: String
        /// The words that say what to do about it.
        package let advice: String
    }

    /// A place for writers.
    package init(_ place: Place, acknowledges: Bool = false, mode: Int = 0o600) {
        self.place = place
        self.acknowledges = acknowledges
        self.mode = mode
    }

    /// The longest path of a socket in bytes, as the system has it.
    static let longestPath = 107

    /// Reads `unix:PATH`, `systemd` or `systemd:NAME`, each with `?ack` after it or not.
    package init(_ text: String) throws(Problem) {
        let mark = "?ack"
        let isMarked = text.hasSuffix(mark)
        let address = isMarked ? String(text.dropLast(mark.count)) : text
        if address == "systemd" {
            self.init(.handedOver(nil), acknowledges: isMarked)
        } else if address.hasPrefix("systemd:"), address.utf8.count > 8 {
            self.init(.handedOver(String(address.dropFirst(8))), acknowledges: isMarked)
        } else if address.hasPrefix("unix:"), address.utf8.count > 5 {
            let path = String(address.dropFirst(5))
            guard path.utf8.count <= Self.longestPath, !path.utf8.contains(0) else {
                throw Problem(
                    expected: "a path of at most \(Self.longestPath) bytes after \"unix:\"",
                    advice: "choose a shorter one")
            }
            guard !path.hasSuffix("/") else {
                throw Problem(
                    expected: "the path of a socket after \"unix:\"", advice: "add its file name")
            }
            self.init(.path(path), acknowledges: isMarked)
        } else {
            throw Problem(
                expected: "an address such as \"unix:in.sock\", \"systemd\" or \"systemd:NAME\"",
                advice: "put \"unix:\" before the path of the socket")
        }
    }
}

extension ListenConfiguration {
    /// The keys of an element of `listen` that is an object.
    package enum Key: String, CaseIterable {
        case socket, ack, mode, allow, deny
    }

    /// Reads the elements of `listen`; those that are wrong are left out.
    static func readAll(_ node: LocatedNode) -> [ListenConfiguration]? {
        guard let elements = node.elements else {
            return node.fail(
                expected: "an array of addresses", advice: "write [\"unix:in.sock\"]")
        }
        var found: [ListenConfiguration] = []
        for element in elements {
            guard let listen = read(element) else { continue }
            if found.contains(where: { $0.place == listen.place }) {
                element.report("\(Quotation.of("\(listen.place)")) is listed twice; remove one of them")
            } else {
                found.append(listen)
            }
        }
        return found
    }

    /// Reads an address, or an object with one.
    private static func read(_ node: LocatedNode) -> ListenConfiguration? {
        guard case .object = node.value.content else { return readAddress(node) }
        guard let reader = ObjectReader<Key>(node),
            var listen = reader.required(.socket, readAddress)
        else { return nil }
        listen.acknowledges = reader.value(.ack, default: listen.acknowledges) { $0.bool() }
        if let mode = reader[.mode] {
            if case .handedOver = listen.place {
                mode.reportKey(
                    "\"mode\" is given, but the socket is systemd's; write SocketMode= into its unit")
            }
            listen.mode = readMode(mode) ?? listen.mode
        }
        listen.input = InputConfiguration(allow: reader[.allow], deny: reader[.deny])
        return listen
    }

    /// Reads an address such as `unix:in.sock`; nil when it is none, which is told.
    private static func readAddress(_ node: LocatedNode) -> ListenConfiguration? {
        guard let text = node.string() else { return nil }
        do {
            return try ListenConfiguration(text)
        } catch {
            return node.fail(expected: error.expected, advice: error.advice)
        }
    }

    /// Reads permissions in octal digits.
    private static func readMode(_ node: LocatedNode) -> Int? {
        guard case .string(let text) = node.value.content, let mode = Int(text, radix: 8),
            (0o600...0o777).contains(mode), mode & 0o600 == 0o600
        else {
            return node.fail(
                expected: "permissions in octal digits from \"0600\" to \"0777\"",
                advice: "write \"0660\" to let the group in")
        }
        return mode
    }
}

extension ListenConfiguration.Place: CustomStringConvertible {
    /// The address, as it is written.
    package var description: String {
        switch self {
        case .path(let path): "unix:" + path
        case .handedOver(nil): "systemd"
        case .handedOver(let name?): "systemd:" + name
        }
    }
}
