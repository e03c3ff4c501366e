// SPDX-License-Identifier: Apache-2.0

internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSupport

/// The instances with which a run begins.
///
/// Whoever keeps it keeps them, also after a reload has replaced them.
struct FirstGeneration {
    /// The plan without the instances that failed the trial, of all scopes.
    let plan: HostPlan
    /// The instances of the host itself.
    let assembly: Assembly
    /// Runs the instances of partitions, and has not joined; nil outside a cluster.
    let member: ClusterHost?
    /// Why the configuration does not run, if this is the last good generation; nil otherwise.
    var refused: (diagnostics: Diagnostics, sentence: String)?
}
