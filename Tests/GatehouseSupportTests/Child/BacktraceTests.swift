// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSupport

/// What is taken from the last words of a process.
@Suite(.timeLimit(.minutes(10))) struct BacktraceTests {
    private let words = """
        said before
        Greeter/Greeter.swift:12: Fatal error: no greeting

        *** Signal 4: Backtracing from 0x7f3e90bc3720... done ***

        Thread 0 "gatehouse" crashed:

          0                  0x00007f01 _assertionFailure(_:_:file:line:flags:) + 225 in libswiftCore.so
          1 [ra] [inlined]   0x00007f02 static Greeter.middleware() in libGreeter.so at /src/Greeter.swift:12:9
          2 [ra] [system]    0x00007f03 specialized Plugin.middlewares() in libGreeter.so at //<compiler-generated>
          3 [ra]             0x00007f04 PluginParts.init() + 7 in libGatehouseSDK.so at /src/PluginParts.swift:4:1
        ...

        Thread 1:

          0 0x00007f05 __read + 76 in libGreeter.so
        """

    @Test func `reason and calls are given down to the outermost one of the library`() {
        #expect(
            Backtrace.lines(in: words, library: "libGreeter.so") == [
                "Greeter/Greeter.swift:12: Fatal error: no greeting",
                "at _assertionFailure(_:_:file:line:flags:) + 225 in libswiftCore.so",
                "at static Greeter.middleware() in libGreeter.so at /src/Greeter.swift:12:9",
            ])
    }

    @Test func `calls that never were in the library are left out`() {
        #expect(
            Backtrace.lines(in: words, library: "libOther.so") == [
                "Greeter/Greeter.swift:12: Fatal error: no greeting"
            ])
    }

    @Test func `a process that said nothing leaves nothing`() {
        #expect(Backtrace.lines(in: "", library: "libGreeter.so") == [])
    }
}
