// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
internal import GatehouseSupport

/// How the worker of an instance stands, for people.
package struct WorkerStanding: Sendable {
    /// The number of its process; nil between a death and the next start, and after the last.
    let process: Int32?
    /// The folder of its control group; nil for none of its own.
    let groupFolder: String?
    /// How often its process has ended unasked.
    package let deaths: Int
    /// The number of the last action that its slice, as the host has it, contains; 0 where that is as at the start of the host.
    package let at: UInt64
    /// Orders that it was given, and of which the host does not have the outcome.
    package let waiting: Int
    /// Effects that run in it.
    package let effects: Int
    /// What it counts itself.
    let account: WorkerAccount
    /// Why no other process is started; nil where one is.
    let isGivenUp: String?

    /// The standing as the control socket writes it.
    package var value: Value {
        let usage = process.flatMap { ProcessUse(of: $0, inGroup: groupFolder) }
        return [
            "pid": process.map { Value(Int($0)) } ?? .null, "deaths": Value(deaths),
            "at": Value(at), "waiting": Value(waiting),
            "memory": usage.map { Value($0.memory) } ?? .null,
            "peak": usage?.peak.map { Value($0) } ?? .null,
            "seconds": usage.map { .double($0.seconds) } ?? .null,
        ]
    }
}
