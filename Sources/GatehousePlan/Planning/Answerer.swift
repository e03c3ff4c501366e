// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// Something that answers actions: an instance as its manifest has it, or one object of its settings that says more.
struct Answerer {
    /// The instance that answers.
    let instance: PlannedInstance
    /// Where the object is in the settings; nil for what the manifest says.
    let place: JSONPointer?
    /// What it answers, by the host's names.
    let heard: [TypePattern]
    /// What it answers with, by the host's names.
    let emitted: [TypePattern]
    /// What it may answer of what it emits itself.
    let own: [TypePattern]

    /// The answerers of a plan, in chain order.
    static func all(among instances: [PlannedInstance]) -> [Answerer] {
        instances.flatMap { instance in
            let answers =
                instance.manifest.settings.map { SettingsAnswers(instance.entry.settings, by: $0).all } ?? []
            return [Answerer(instance, isDetailed: !answers.isEmpty)]
                + answers.map { Answerer(instance, $0) }
        }
    }

    /// An instance as its manifest has it.
    ///
    /// A plugin that hears by its name what it emits by the same name does so for its reducer. One that hears it by a pattern,
    /// or that the lift lets hear it by another name, may answer it.
    ///
    /// - Parameter isDetailed: whether its settings say what it means by everything.
    private init(_ instance: PlannedInstance, isDetailed: Bool) {
        self.instance = instance
        place = nil
        // What settings say is told place by place.
        let names = instance.names.withoutSettings
        let counts = { (pair: LiftedNames.Pair) in
            pair.global != .everything && !(isDetailed && pair.local == .everything)
        }
        let inputs = names.heard.filter(counts)
        let outputs = names.declaredOutputs.filter(counts)
        heard = inputs.map(\.global)
        emitted = names.permitted(outputs.map(\.global))
        own = emitted.filter { emitted in
            inputs.contains { heard in
                guard heard.local != .everything, heard.global.intersection(emitted) != nil else {
                    return false
                }
                return heard.local.isOpen
                    || outputs.contains { $0.global == emitted && $0.local != heard.local }
            }
        }
    }

    /// One object of the settings of an instance.
    private init(_ instance: PlannedInstance, _ answer: SettingsAnswers.Answer) {
        self.instance = instance
        place = answer.pointer
        let heard = answer.heard.flatMap(instance.names.heard).filter { $0 != .everything }
        self.heard = heard
        emitted = answer.emitted.flatMap(instance.names.emitted).filter { $0 != .everything }
        own = emitted.filter { emitted in heard.contains { $0.intersection(emitted) != nil } }
    }
}

extension Answerer: CustomStringConvertible {
    /// The id of the instance, and the place in its settings.
    var description: String { instance.id + (place.map { " \($0)" } ?? "") }
}
