// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ChecksumTests {
    @Test func `it is the CRC-32 that everybody knows, also in parts`() {
        let bytes = Array("123456789".utf8)
        #expect(Checksum.of(bytes) == 0xcbf4_3926)
        #expect(Checksum.of(bytes[4...], after: Checksum.of(bytes[..<4])) == 0xcbf4_3926)
        #expect(Checksum.of("123456789".utf8.lazy.map { $0 }) == 0xcbf4_3926)
        #expect(Checksum.of([]) == 0)
    }

    @Test func `a signal has its name, or its number`() {
        #expect(SignalName.of(SIGILL) == "SIGILL")
        #expect(SignalName.of(4_711) == "signal 4711")
    }
}
