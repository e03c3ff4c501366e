// SPDX-License-Identifier: Apache-2.0

/// The address and user of a Redis: `redis+unix:PATH`, `redis+unix://USER@PATH`, `redis://[USER@]HOST[:PORT]`, or the last form with
/// `rediss://` for TLS.
package struct RedisAddress: Equatable, Sendable, CustomStringConvertible {
    /// A place that a server listens on.
    package enum Place: Equatable, Sendable {
        /// A socket in the file system.
        case unix(path: String)
        /// A port of a host.
        case tcp(host: String, port: Int)
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
            let scheme = isEncrypted ? "rediss" : "redis"
            return "\(scheme)://\(user)\(host.contains(":") ? "[\(host)]" : host):\(port)"
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
            guard let (user, rest) = Self.userAndRest(text.dropFirst(isEncrypted ? 9 : 8)), !rest.isEmpty,
                !rest.contains(where: { "/@?#,".contains($0) })
            else { return nil }
            let colon = rest.hasSuffix("]") ? nil : rest.lastIndex(of: ":")
            let host = rest[..<(colon ?? rest.endIndex)]
            let port = colon.map { Int(rest[rest.index(after: $0)...]) } ?? 6_379
            guard let port, (1...65_535).contains(port), !host.isEmpty else { return nil }
            self = .tcp(
                host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host), port: port,
                user: user, isEncrypted: isEncrypted)
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
