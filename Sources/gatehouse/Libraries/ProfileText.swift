// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime

/// Formats how long each instance took during a run, one line each.
enum ProfileText {
    /// The counts and times of one instance, such as `counter: 2 heard, 0 emitted; handle 2 × 310 ns`.
    static func line(_ counts: InstanceCounts) -> String {
        let stages = [
            ("handle", counts.account.handling), ("reduce", counts.account.reducing),
            ("IO", counts.account.answering),
        ].compactMap { name, time in
            time.average.map { "\(name) \(time.samples) × \(Int($0.rounded())) ns" }
        }
        let done = "\(counts.instance): \(counts.account.heard) heard, \(counts.emitted) emitted"
        return stages.isEmpty ? done : "\(done); \(stages.joined(separator: ", "))"
    }
}
