// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct OpenedFileTests {
    @Test func `a file is opened also where it gets the descriptor of an input that was closed`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            close(STDIN_FILENO)
            exit(try SystemFile.openRegular("/proc/self/exe").descriptor == STDIN_FILENO ? 7 : 2)
        }
    }
}
