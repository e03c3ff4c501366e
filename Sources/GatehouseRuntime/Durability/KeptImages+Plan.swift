// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSupport

// Keeping the images a plan needs to run again.
extension KeptImages {
    /// Keeps the images of a plan's instances, each once.
    ///
    /// - Returns: diagnostics for the operator; an image that cannot be kept does not prevent a run.
    package func keep(_ plan: HostPlan) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var known: Set<String> = []
        for planned in plan.instances {
            guard let (content, _) = planned.image, known.insert(content.digest.hex).inserted else {
                continue
            }
            do throws(ImageStoreError) {
                try keep(content) { diagnostics.append(Diagnostic(.warning, $0)) }
            } catch {
                diagnostics.append(
                    Diagnostic(
                        .warning, instance: planned.id,
                        "its library cannot be kept beside the journal: \(error); a start after a crash needs the library where it is now"
                    ))
            }
        }
        return diagnostics
    }
}
