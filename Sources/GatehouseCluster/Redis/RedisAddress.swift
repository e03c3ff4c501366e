// SPDX-License-Identifier: Apache-2.0

/// The address and user of a Redis: `redis+unix:PATH`, `redis+unix://USER@PATH`, `redis://[USER@]HOST[:PORT]`, or
/// `redis-sentinel://[USER@]HOST[:PORT],…/NAME` for the one that Sentinels name; the last two with `rediss` for TLS.
package struct RedisAddress: Equatable, Sendable, CustomStringConvertible {
    /// A place that a server listens on.
    package enum Place: Equatable, Sendable {
        /// A socket in the file system.
        case unix(path: String)
        /// A port of a host.
        case tcp(host: String, port: Int)
        /// The ports of Sentinels, and the name by which they know the server.
        case sentinels([Port], name: String)
    }

    /// A port of a host.
    package struct Port: Equatable, Sendable, CustomStringConvertible {
        /// The name or the address of the host.
        package var host: String
        /// The port.
        package var number: Int

        /// The written form, with brackets around an address that has colons.
        package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(number)" }

        /// Reads `HOST` or `HOST:PORT`; nil for anything else.
        init?(_ text: Substring, default number: Int) {
            let colon = text.hasSuffix("]") ? nil : text.lastIndex(of: ":")
            let host = text[..<(colon ?? text.endIndex)]
            guard let number = colon.map({ Int(text[text.index(after: $0)...]) }) ?? number,
                (1...65_535).contains(number), !host.isEmpty,
                !text.contains(where: { "/@?#,".contains($0) })
            else { return nil }
            self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host)
            self.number = number
        }

        /// A port from its parts.
        package init(host: String, number: Int) { (self.host, self.number) = (host, number) }
    }

    /// The place.
    package var place: Place
    /// The user of its access control lists; nil for the one named default.
    package var user: String?
    /// Whether the connection is encrypted; never for a socket in the file system.
    package var isEncrypted: Bool

    /// Returns the address of a socket in the file system.
    package static func unix(path: String, user: String? = nil) -> RedisAddress {
        RedisAddress(place: .unix(path: path), user: user, isEncrypted: false)
    }

    /// Returns the address of a port.
    package static func tcp(host: String, port: Int, user: String? = nil, isEncrypted: Bool = false)
        -> RedisAddress
    {
        RedisAddress(place: .tcp(host: host, port: port), user: user, isEncrypted: isEncrypted)
    }

    /// The written form.
    package var description: String {
        let user = user.map { $0 + "@" } ?? ""
        switch place {
        case .unix(let path): return user.isEmpty ? "redis+unix:\(path)" : "redis+unix://\(user)\(path)"
        case .tcp(let host, let port):
            return "\(isEncrypted ? "rediss" : "redis")://\(user)\(Port(host: host, number: port))"
        case .sentinels(let ports, let name):
            let list = ports.map(\.description).joined(separator: ",")
            return "\(isEncrypted ? "rediss" : "redis")-sentinel://\(user)\(list)/\(name)"
        }
    }
}

extension RedisAddress {
    /// Reads an address; nil if it is not one, or has a password.
    package init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        if text.hasPrefix("redis+unix:") {
            let rest = text.dropFirst(11)
            let parts = rest.hasPrefix("//") ? Self.userAndRest(rest.dropFirst(2)) : (nil, rest)
            guard let parts else { return nil }
            let path = parts.user == nil ? rest : parts.rest
            guard !path.isEmpty, parts.user == nil || path.hasPrefix("/") else { return nil }
            self = .unix(path: String(path), user: parts.user)
        } else if text.hasPrefix("redis://") || text.hasPrefix("rediss://") {
            let isEncrypted = text.hasPrefix("rediss")
            guard let (user, rest) = Self.userAndRest(text.dropFirst(isEncrypted ? 9 : 8)),
                let port = Port(rest, default: 6_379)
            else { return nil }
            self = .tcp(host: port.host, port: port.number, user: user, isEncrypted: isEncrypted)
        } else if text.hasPrefix("redis-sentinel://") || text.hasPrefix("rediss-sentinel://") {
            let isEncrypted = text.hasPrefix("rediss")
            guard let (user, rest) = Self.userAndRest(text.dropFirst(isEncrypted ? 18 : 17)),
                let slash = rest.lastIndex(of: "/")
            else { return nil }
            let name = rest[rest.index(after: slash)...]
            let list = rest[..<slash].split(separator: ",", omittingEmptySubsequences: false)
            let ports = list.compactMap { Port($0, default: 26_379) }
            guard ports.count == list.count, !name.isEmpty,
                !name.contains(where: { $0.isWhitespace || "/@?#,".contains($0) })
            else { return nil }
            self.init(
                place: .sentinels(ports, name: String(name)), user: user, isEncrypted: isEncrypted)
        } else {
            return nil
        }
    }

    /// Returns the user before the first `@`, if any, and the rest; nil when the user is not a name.
    private static func userAndRest(_ text: Substring) -> (user: String?, rest: Substring)? {
        guard let end = text.firstIndex(of: "@") else { return (nil, text) }
        let user = text[..<end]
        guard !user.isEmpty, !user.contains(where: { $0.isWhitespace || $0 == "/" || $0 == ":" }) else {
            return nil
        }
        return (String(user), text[text.index(after: end)...])
    }

    /// Whether a malformed address contains a likely password, so that it must not be shown.
    package static func hasPassword(_ text: String) -> Bool {
        if text.contains("password=") { return true }
        guard let end = text.lastIndex(of: "@") else { return false }
        var before = text[..<end]
        if let slash = before.firstIndex(of: "/") { before = before[slash...] }
        return before.contains(":")
    }
}
