// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseRuntime

/// What is made for a partition before the engine has granted it: its instances, which know no state yet.
///
/// `@unchecked Sendable`: the thread that makes it lets go of it before another one takes it, under a lock, to run the partition; nobody
/// uses it in between.
struct PreparedPartition: @unchecked Sendable {
    /// The partition's number.
    let number: Int
    /// The plan of its instances.
    let plan: HostPlan
    /// Which of the member's plans that is.
    let version: Int
    /// Whether something waits for a checkpoint.
    let urgency: PartitionUrgency
    /// Effects that wait for one.
    let held: HeldEffects
    /// Makes the rest when the state is known.
    let assembler: Assembler
    /// The instances.
    let made: Assembler.Made
}
