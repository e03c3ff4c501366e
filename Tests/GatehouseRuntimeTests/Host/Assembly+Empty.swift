// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

@testable import GatehouseRuntime

extension Assembly {
    /// Makes the assembly of a host without plugins, whose clock says 1970 and which reports nothing.
    static func empty() throws -> sending Assembly {
        try Assembly(
            linking: [],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { _ in }))
    }
}
