// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import HTTPPlugin

@Suite(.timeLimit(.minutes(10))) struct ClientAddressTests {
    /// What is told of an IPv6 address: its text, and the network that shares limits.
    private func six(_ text: String) throws -> [String] {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = 80
        try #require(unsafe inet_pton(AF_INET6, text, &address.sin6_addr) == 1)
        return unsafe withUnsafePointer(to: address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe [ClientAddress.text(of: $0), ClientAddress.network(of: $0)]
            }
        }
    }

    @Test func `of IPv6 half of the address is the network of a subscriber`() throws {
        #expect(
            try six("2001:db8:1:2:ffff:4:5:6") == ["2001:db8:1:2:ffff:4:5:6", "2001:db8:1:2::"])
        #expect(try six("2001:db8:1:ffff::1") == ["2001:db8:1:ffff::1", "2001:db8:1:ffff::"])
        #expect(try six("::1") == ["::1", "::"])
    }

    @Test func `an address of IPv4 in one of IPv6 is a network itself`() throws {
        #expect(try six("::ffff:10.1.2.3") == ["::ffff:10.1.2.3", "::ffff:10.1.2.3"])
        #expect(try six("::fffe:10.1.2.3")[1] == "::")
        #expect(try six("::feff:10.1.2.3")[1] == "::")
        #expect(try six("::1:ffff:10.1.2.3")[1] == "::")
        #expect(try six("100::ffff:10.1.2.3")[1] == "100::")
    }

    @Test func `an address of IPv4 is its own network, and others have none`() {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_addr.s_addr = UInt32(0x0a01_0203).bigEndian
        var local = sockaddr()
        local.sa_family = sa_family_t(AF_UNIX)
        unsafe withUnsafePointer(to: four) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(unsafe ClientAddress.text(of: $0) == "10.1.2.3")
                #expect(unsafe ClientAddress.network(of: $0) == "10.1.2.3")
            }
        }
        unsafe withUnsafePointer(to: local) {
            #expect(unsafe ClientAddress.text(of: $0) == "a local client")
            #expect(unsafe ClientAddress.network(of: $0) == "a local client")
        }
        #expect(unsafe ClientAddress.text(of: nil) == "a client")
        #expect(unsafe ClientAddress.network(of: nil) == "a client")
    }
}
