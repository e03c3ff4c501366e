// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a child, the built program, tells before each step.
@Suite(.timeLimit(.minutes(10))) struct RehearsalChildTests {
    @Test(
        .disabled(if: Sanitizer.watchesThreads),
        arguments: [
            ("parts", "the parts of the instance a were made"),
            ("state", "the state of the instance a was written and read again"),
        ])
    func `a plugin that dies is refused with the step in which it did`(setting: String, step: String) throws {
        let folder = try TemporaryFolder()
        try folder.copyLibrary("RestlessPlugin")
        let plugins = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: false))
        let candidate = try #require(plugins.candidates.first)
        let note = try #require(candidate.verdict.note)
        let file = try #require(candidate.file)
        let act = RehearsalAct(
            content: ImageContent(file), broughtAlong: file.digest, note: note,
            instances: [
                PlannedInstance(
                    InstanceConfiguration(id: "a", settings: [setting: "trap"]), manifest: note.manifest,
                    library: candidate)
            ])
        let report = RehearsalGroup(
            program: BuiltProducts.program, acts: [act], limit: .seconds(60), stop: nil
        ).perform()
        #expect(report.passed.isEmpty && report.obstacle == nil)
        let sentence = try #require(report.refused["a"]?.description.split(separator: "\n").first)
        #expect(
            sentence.hasSuffix(": in a rehearsal it died by SIGILL while \(step); correct the plugin"),
            "\(sentence)")
    }
}
