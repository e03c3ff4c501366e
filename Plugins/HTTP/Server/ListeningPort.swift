// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Opens the socket at which a server listens.
///
/// `unsafe` because the system wants addresses as memory of different kinds.
struct ListeningPort {
    /// Why nobody can listen there, in a sentence for the operator.
    struct Failure: Error, Equatable {
        /// The sentence.
        let sentence: String
    }

    /// The socket.
    let descriptor: Int32
    /// Where clients find it, with the port that the system has chosen.
    let text: String
    /// The file of a Unix socket; nil for a port.
    private let path: String?

    /// Listens at a place.
    init(_ address: ListenAddress) throws(Failure) {
        switch address.place {
        case .port(let host, let port):
            (descriptor, text) = try Self.listen(address.text, host == "localhost" ? "127.0.0.1" : host, port)
            path = nil
        case .path(let path):
            descriptor = try Self.listen(atPath: path)
            (text, self.path) = (address.text, path)
        }
    }

    /// Lets go of the place.
    func close() {
        Glibc.close(descriptor)
        if let path { _ = unsafe unlink(path) }
    }

    /// Listens at a port, and says which.
    private static func listen(
        _ written: String, _ host: String, _ port: UInt16
    ) throws(Failure) -> (Int32, String) {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            let made = try bind(written, AF_INET, &four)
            return (made, "\(host):\(UInt16(bigEndian: name(of: made, four).sin_port))")
        }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        guard unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 else {
            throw Failure(sentence: "\(written): there is no such address; correct \"listen\"")
        }
        let made = try bind(written, AF_INET6, &six)
        return (made, "[\(host)]:\(UInt16(bigEndian: name(of: made, six).sin6_port))")
    }

    /// Listens at a path, in the place of a socket at which nobody listens any more.
    private static func listen(atPath path: String) throws(Failure) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure(sentence: "unix:\(path): the path is too long for a socket; name a shorter one")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let isTaken = unsafe call(connect, probe, &address) == 0
        let isLeft = !isTaken && errno == ECONNREFUSED
        Glibc.close(probe)
        // What is no socket is never refused a connection in this way.
        if isLeft { _ = unsafe unlink(path) }
        return try bind("unix:\(path)", AF_UNIX, &address)
    }

    /// Makes a socket that listens at an address.
    private static func bind<Address>(
        _ written: String, _ family: Int32, _ address: inout Address
    ) throws(Failure) -> Int32 {
        let made = socket(
            family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // Connections of the server before may still be closing.
        if family != AF_UNIX { unsafe setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, size) }
        if family == AF_INET6 { unsafe setsockopt(made, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size) }
        if made >= 0, unsafe call(Glibc.bind, made, &address) == 0, Glibc.listen(made, 1_024) == 0 {
            return made
        }
        let reason = unsafe String(cString: strerror(errno))
        if made >= 0 { Glibc.close(made) }
        throw Failure(
            sentence:
                "\(written): nobody can listen there: \(reason); end what does, or set \"listen\" to another place"
        )
    }

    /// The address that the system has given a socket.
    private static func name<Address>(of made: Int32, _ address: Address) -> Address {
        var (address, size) = (address, socklen_t(MemoryLayout<Address>.size))
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(made, $0, &size)
            }
        }
        return address
    }

    /// Calls a function of the system with an address of some kind.
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
