// SPDX-License-Identifier: Apache-2.0

private import Glibc

// `unsafe` because the system takes addresses as memory of different kinds.
extension ListeningAddress {
    /// The most clients that the kernel queues until somebody accepts them; the system's own limit comes first.
    private static let backlog: Int32 = 1_024

    /// Opens a socket that listens here; it does not block, is closed on `exec`, and is the caller's to close.
    ///
    /// Replaces a Unix socket at which nobody listens any more. The file admits its user, and its group where the process's
    /// mask does, and never anybody else.
    ///
    /// - Throws: why nobody can listen here.
    public func open() throws(ListeningFailure) -> Int32 {
        switch self {
        case .port(let host, let port): try open(host, port)
        case .path(let path): try open(path)
        }
    }

    /// Reads the address of a socket, with its port; nil for a socket of another kind.
    public init?(of descriptor: Int32) {
        var any = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = unsafe withUnsafeMutablePointer(to: &any) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isKnown else { return nil }
        switch Int32(any.ss_family) {
        case AF_INET:
            let found = Self.read(sockaddr_in.self, from: any)
            self = .port(host: Self.text(AF_INET, found.sin_addr), UInt16(bigEndian: found.sin_port))
        case AF_INET6:
            let found = Self.read(sockaddr_in6.self, from: any)
            self = .port(host: Self.text(AF_INET6, found.sin6_addr), UInt16(bigEndian: found.sin6_port))
        case AF_UNIX:
            let found = Self.read(sockaddr_un.self, from: any)
            let path = unsafe withUnsafeBytes(of: found.sun_path) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !path.isEmpty else { return nil }
            self = .path(path)
        default: return nil
        }
    }

    /// Whether a socket listens; one that somebody has shut down does not any more.
    public static func isListening(_ descriptor: Int32) -> Bool {
        var answer: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &answer, &size) == 0 && answer != 0
    }

    /// The same address as the system writes it, so that two texts of one address are equal; nil for a host that is no number.
    public var canonical: ListeningAddress? {
        guard case .port(let host, let port) = self else { return self }
        var four = in_addr()
        if unsafe inet_pton(AF_INET, host, &four) == 1 { return .port(host: Self.text(AF_INET, four), port) }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, host, &six) == 1 else { return nil }
        return .port(host: Self.text(AF_INET6, six), port)
    }

    /// Listens at a port.
    private func open(_ host: String, _ port: UInt16) throws(ListeningFailure) -> Int32 {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 { return try bind(AF_INET, &four) }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        guard unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 else {
            throw ListeningFailure("\(self): there is no such address; correct it")
        }
        return try bind(AF_INET6, &six)
    }

    /// Listens at a path; replaces a socket at which nobody listens any more.
    private func open(_ path: String) throws(ListeningFailure) -> Int32 {
        guard var address = Self.address(path) else {
            throw ListeningFailure("\(self): the path is too long for a socket; name a shorter one")
        }
        switch Self.clear(path) {
        case .nobody: return try bind(AF_UNIX, &address)
        case .listener:
            throw ListeningFailure(
                "\(self): another process listens there; end it, or choose another place")
        case .other:
            throw ListeningFailure(
                "\(self): expected nothing, or the socket of a process that has ended, found something else; move it away, or choose another place"
            )
        }
    }

    /// The occupant of a socket's path.
    public enum Occupant: Sendable {
        /// Nobody, or nobody any more.
        case nobody
        /// A process that listens.
        case listener
        /// Something that is no socket.
        case other
    }

    /// Removes the socket of a process that has ended from a path, and never anything else.
    ///
    /// The caller ensures that nobody else does the same at the same time.
    public static func clear(_ path: String) -> Occupant {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return .nobody }
        // The system refuses a connection to an ordinary file just as to an abandoned socket.
        guard status.st_mode & S_IFMT == S_IFSOCK, var address = address(path) else { return .other }
        let probe = socket(AF_UNIX, kind, 0)
        let isTaken = unsafe call(connect, probe, &address) == 0
        let isLeft = !isTaken && errno == ECONNREFUSED
        let isGone = !isTaken && errno == ENOENT
        Glibc.close(probe)
        if isLeft { _ = unsafe unlink(path) }
        return isLeft || isGone ? .nobody : .listener
    }

    /// Returns the address of a path; nil for one that is too long.
    private static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return address
    }

    /// A stream whose descriptor does not block and stays in this process.
    private static var kind: Int32 {
        Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    }

    /// Opens a socket that listens at an address of the system.
    private func bind<Address>(
        _ family: Int32, _ address: inout Address
    ) throws(ListeningFailure) -> Int32 {
        let made = socket(family, Self.kind, 0)
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // Connections of an earlier process may still be closing.
        if family != AF_UNIX { unsafe setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, size) }
        // The socket's mode, less the mask, becomes that of its file, so nobody else gets in between.
        if family == AF_UNIX { fchmod(made, 0o660) }
        if family == AF_INET6 { unsafe setsockopt(made, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size) }
        if made != -1, unsafe Self.call(Glibc.bind, made, &address) == 0,
            Glibc.listen(made, Self.backlog) == 0
        {
            return made
        }
        let reason = unsafe String(cString: strerror(errno))
        if made != -1 { Glibc.close(made) }
        throw ListeningFailure(
            "\(self): nobody can listen there: \(reason); end what does, or choose another place")
    }

    /// Returns an address of one kind, as the system has written it.
    private static func read<Address>(_ type: Address.Type, from any: sockaddr_storage) -> Address {
        unsafe withUnsafeBytes(of: any) { unsafe $0.loadUnaligned(as: type) }
    }

    /// Returns the text of an address.
    private static func text<Address>(_ family: Int32, _ address: Address) -> String {
        var digits = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe inet_ntop(family, bytes.baseAddress, &digits, socklen_t(digits.count))
        }
        return String(decoding: digits.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Calls a system function with an address of any kind.
    private static func call<Address>(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ made: Int32,
        _ address: inout Address
    ) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe function(made, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
