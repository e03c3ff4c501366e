// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// Where the time of a run went, a line for each instance.
enum ProfileText {
    /// What one instance did and how long that took, such as `counter: 2 heard, 0 emitted; handle 2 × 310 ns`.
    static func line(_ counts: InstanceCounts) -> String {
        let stages = [
            ("handle", counts.handling), ("reduce", counts.reducing), ("IO", counts.answering),
        ].compactMap { name, time in
            time.average.map { "\(name) \(time.samples) × \(Int($0.rounded())) ns" }
        }
        let done = "\(counts.instance): \(counts.heard) heard, \(counts.emitted) emitted"
        return stages.isEmpty ? done : "\(done); \(stages.joined(separator: ", "))"
    }
}
