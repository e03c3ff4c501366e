// SPDX-License-Identifier: Apache-2.0

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime

extension HostPlan {
    /// Lets each library count as rehearsed for its instances.
    func rememberRehearsal(in images: ImageCache) {
        let judged = instances.compactMap { planned in planned.image.map { (planned: planned, image: $0) } }
        let acts = Dictionary(grouping: judged, by: \.image.content.digest).values.map { all in
            RehearsalAct(
                content: all[0].image.content,
                broughtAlong: all[0].planned.library?.verdict.broughtAlong ?? all[0].image.content.digest,
                note: all[0].image.note, instances: all.map(\.planned), states: [:])
        }
        RehearsalMemory(in: images.folder, trust: images.trust)?.remember(acts)
    }
}
