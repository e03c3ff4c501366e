// SPDX-License-Identifier: Apache-2.0

/// Where a Redis listens: `redis+unix:PATH`, `redis://HOST` or `redis://HOST:PORT`.
public enum RedisAddress: Equatable, Sendable, CustomStringConvertible {
    /// A socket in the file system.
    case unix(path: String)
    /// A port of a host.
    case tcp(host: String, port: Int)

    /// Reads an address; nil if it is none.
    public init?(_ text: String) {
        if text.hasPrefix("redis+unix:"), text.count > 11 {
            self = .unix(path: String(text.dropFirst(11)))
        } else if text.hasPrefix("redis://") {
            let rest = text.dropFirst(8)
            guard !rest.isEmpty, !rest.contains("/"), !rest.contains("@") else { return nil }
            let colon = rest.hasSuffix("]") ? nil : rest.lastIndex(of: ":")
            let host = rest[..<(colon ?? rest.endIndex)]
            let port = colon.map { Int(rest[rest.index(after: $0)...]) } ?? 6_379
            guard let port, (1...65_535).contains(port), !host.isEmpty else { return nil }
            self = .tcp(
                host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host), port: port)
        } else {
            return nil
        }
    }

    /// As it is written.
    public var description: String {
        switch self {
        case .unix(let path): "redis+unix:\(path)"
        case .tcp(let host, let port): "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }
}
