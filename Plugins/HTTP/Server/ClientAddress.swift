// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes where a client is, for messages.
enum ClientAddress {
    /// An address as people write it, without its port; `a local client` for what has none.
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
}
