// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSupport

extension HostPlan {
    /// Tries the plugins in a child, and reports all problems.
    ///
    /// - Parameters:
    ///   - images: locates the files that images are mapped from.
    ///   - stop: ends the trial.
    /// - Returns: the plan without the instances that failed.
    /// - Throws: when the plan cannot run.
    func tried(_ images: ImageCache, _ stop: StopRequest) throws(Ended) -> HostPlan {
        let tried = Rehearsal(of: self, images: images, stop: stop).result() ?? self
        tried.diagnostics.write()
        if tried.diagnostics.isFailure { throw Ended(code: tried.diagnostics.exitCode) }
        return tried
    }
}
