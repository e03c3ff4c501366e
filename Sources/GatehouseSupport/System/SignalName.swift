// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// Names signals.
package enum SignalName {
    /// A signal's name, such as SIGILL; its number where it has none.
    package static func of(_ number: Int32) -> String {
        guard let name = unsafe gatehouse_signal_name(number) else { return "signal \(number)" }
        return unsafe "SIG" + String(cString: name)
    }
}
