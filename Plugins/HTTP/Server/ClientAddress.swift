// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Formats the address of a client, for messages.
enum ClientAddress {
    /// Returns an address in text form, without its port; `a local client` for a Unix socket.
    static func text(of address: UnsafePointer<sockaddr>?) -> String {
        guard let address = unsafe address else { return "a client" }
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length: Int
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return "a local client"
        }
        let code = unsafe getnameinfo(
            address, socklen_t(length), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return "a client" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the network that shares limits: the address itself, or one subscriber's 64-bit network of IPv6.
    static func network(of address: UnsafePointer<sockaddr>?) -> String {
        guard let address = unsafe address, unsafe Int32(address.pointee.sa_family) == AF_INET6 else {
            return unsafe text(of: address)
        }
        return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
            var network = unsafe address.pointee
            let isMapped = unsafe withUnsafeBytes(of: network.sin6_addr) { bytes in
                unsafe bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            }
            if !isMapped {
                unsafe withUnsafeMutableBytes(of: &network.sin6_addr) { bytes in
                    for place in 8..<16 { unsafe bytes[place] = 0 }
                }
            }
            return unsafe withUnsafePointer(to: network) { network in
                unsafe network.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe text(of: $0) }
            }
        }
    }
}
