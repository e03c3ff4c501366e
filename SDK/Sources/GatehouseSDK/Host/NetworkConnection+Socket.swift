// SPDX-License-Identifier: Apache-2.0

private import Glibc

// `unsafe` because the system takes addresses as memory of different kinds.
extension NetworkConnection {
    /// The most addresses of a name that are tried.
    private static let mostAddresses = 8
    /// How long one address has the attempt for itself; then the next one is tried as well, as RFC 8305 advises.
    private static let headStart = Duration.milliseconds(250)
    /// The longest name of a host, in bytes.
    private static let longestName = 255

    /// Connects to a port of a host; blocks the calling thread until the connection is there, also while the name is looked up.
    ///
    /// - Throws: why there is none within that time; looking up the name may take longer.
    convenience init(to host: String, port: UInt16, within limit: Duration) throws(ConnectionFailure) {
        let deadline = ContinuousClock.now.advanced(by: limit)
        var attempts = Attempts(try Self.addresses(of: host, port)[...])
        defer { attempts.close() }
        while true {
            let now = ContinuousClock.now
            guard now < deadline else {
                throw ConnectionFailure(
                    .timeout,
                    "\(ListeningAddress.port(host: host, port)) took no connection within \(limit)")
            }
            if attempts.begin(now) { continue }
            guard !attempts.pending.isEmpty else {
                throw .unreachable(host, port, Self.words(of: attempts.refusal))
            }
            if let descriptor = attempts.wait(until: deadline, from: now) {
                self.init(descriptor: descriptor)
                return
            }
        }
    }

    /// The attempts at the addresses of one host.
    private struct Attempts {
        /// The addresses that are not tried yet, as the system writes them, with their families.
        var addresses: ArraySlice<(family: Int32, bytes: [UInt8])>
        /// The sockets that connect.
        var pending: [Int32] = []
        /// When the next address is tried, whatever the others do.
        var next: ContinuousClock.Instant?
        /// The first error.
        var refusal: Int32 = 0

        /// Attempts at addresses, none of which is tried yet.
        init(_ addresses: ArraySlice<(family: Int32, bytes: [UInt8])>) { self.addresses = addresses }

        /// Begins with the next address, if it is due; returns false, having done nothing, if none is.
        mutating func begin(_ now: ContinuousClock.Instant) -> Bool {
            guard pending.isEmpty || next.map({ now >= $0 }) ?? true, let address = addresses.popFirst()
            else {
                return false
            }
            next = now.advanced(by: headStart)
            let made = socket(
                address.family,
                Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            let result =
                made < 0
                ? -1
                : unsafe address.bytes.withUnsafeBytes { bytes in
                    unsafe Glibc.connect(
                        made, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                        socklen_t(bytes.count))
                }
            if result == 0 || errno == EINPROGRESS {
                pending.append(made)
            } else {
                note(errno)
                if made >= 0 { Glibc.close(made) }
            }
            return true
        }

        /// Waits until something has come of an attempt, or another one is due; returns a socket that is connected.
        mutating func wait(
            until deadline: ContinuousClock.Instant, from now: ContinuousClock.Instant
        ) -> Int32? {
            let end = addresses.isEmpty ? deadline : min(deadline, next ?? deadline)
            let milliseconds = (now.duration(to: end) / .milliseconds(1)).rounded(.up)
            var watched = pending.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
            _ = unsafe poll(&watched, nfds_t(watched.count), Int32(min(milliseconds, 60_000)))
            for entry in watched where entry.revents != 0 {
                pending.removeAll { $0 == entry.fd }
                var error: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                let result = unsafe getsockopt(entry.fd, SOL_SOCKET, SO_ERROR, &error, &size)
                if result == 0, error == 0 { return entry.fd }
                note(result == 0 ? error : errno)
                Glibc.close(entry.fd)
            }
            return nil
        }

        /// Keeps the first error.
        private mutating func note(_ error: Int32) { if refusal == 0 { refusal = error } }

        /// Gives up all attempts.
        mutating func close() {
            for descriptor in pending { Glibc.close(descriptor) }
            pending = []
        }
    }

    /// Looks up the addresses of a host, with a port.
    ///
    /// - Throws: why there is none.
    private static func addresses(
        of host: String, _ port: UInt16
    ) throws(ConnectionFailure) -> [(family: Int32, bytes: [UInt8])] {
        func failure(_ words: String) -> ConnectionFailure {
            ConnectionFailure(.unknownHost, "the host \(host) cannot be looked up: \(words)")
        }
        guard (1...longestName).contains(host.utf8.count), !host.utf8.contains(0) else {
            throw failure("expected a name of 1 to \(longestName) bytes")
        }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, "\(port)", &hints, &list)
        defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
        guard code == 0 else {
            throw failure(
                code == EAI_SYSTEM ? words(of: errno) : unsafe String(cString: gai_strerror(code)))
        }
        var found: [(family: Int32, bytes: [UInt8])] = []
        var next = unsafe list
        while let one = unsafe next?.pointee, found.count < mostAddresses {
            let bytes = unsafe UnsafeRawBufferPointer(start: one.ai_addr, count: Int(one.ai_addrlen))
            found.append((unsafe one.ai_family, unsafe Array(bytes)))
            unsafe next = unsafe one.ai_next
        }
        return found
    }

    /// The system's words for an error.
    private static func words(of error: Int32) -> String { unsafe String(cString: strerror(error)) }
}
