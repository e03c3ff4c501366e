// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
private import Glibc

/// The plugin that a check is about, in the process of the check; used on one thread.
final class Subject {
    /// What is to be found out.
    let job: ValidationJob
    /// Actions that the plugin takes, as far as they are known.
    var examples: [ExampleAction]
    /// The folder under which instances keep data.
    var dataFolder: String
    /// Tells the host.
    private let voice: ChildVoice
    /// The library, once it is loaded.
    private var image: LoadedImage?

    /// A plugin that is not loaded yet.
    init(_ job: ValidationJob, voice: ChildVoice) {
        self.job = job
        self.voice = voice
        examples = job.examples
        dataFolder = job.folder + "/data"
    }

    /// What the library says about itself.
    var note: PluginNote { job.note }

    /// What the author declares.
    var manifest: PluginManifest { job.note.manifest }

    /// The id of the first instance.
    var id: String { manifest.id }

    /// What the plugin is given to hear where nothing else is asked for: what the author has recorded, and one of each that
    /// it takes.
    var recording: [ExampleAction] { examples + job.input }

    /// Tells when what follows happens, as the end of "it died …".
    func announce(_ step: String) {
        voice.tell(ValidationMessage.step(step.count > 300 ? step.prefix(300) + "…" : step).line)
    }

    /// Loads the library, once.
    ///
    /// - Throws: why it is not taken.
    func load() throws(CheckFinding) -> LoadedImage {
        if let image { return image }
        do throws(LoadingError) {
            let loaded = try LoadedImage(path: job.path, name: job.name, note: note, isTried: true) { step in
                announce(
                    step == .load
                        ? "while it was loaded, in code that runs before its entry" : "in its entry")
            }
            image = loaded
            return loaded
        } catch {
            throw CheckFinding(outcome: .fail, sentences: error.sentences)
        }
    }

    /// An entry of a configuration for the plugin, with the settings that were asked for unless others are given.
    func planned(_ settings: Value? = nil, as id: String? = nil) -> PlannedInstance {
        PlannedInstance(
            InstanceConfiguration(id: id ?? self.id, settings: settings ?? job.settings),
            manifest: manifest.withoutNarrowing,
            keepsState: note.keepsState)
    }

    /// Makes an instance that no host runs.
    ///
    /// - Throws: that its settings do not fit.
    func instance() throws(CheckFinding) -> Instance {
        let exports = try load().exports
        let settings = job.settings
        announce("while its parts were made with the settings \(settings.json())")
        do throws(CodingFailure) {
            return try Instance(
                planned(settings), exports: exports, tree: StateTree(plain: .object(Members())),
                dependencies: dependencies { _ in })
        } catch {
            throw refusal(of: settings, error)
        }
    }

    /// What there is to say about settings that the plugin does not take.
    func refusal(of settings: Value, _ failure: CodingFailure) -> CheckFinding {
        settings == .object(Members())
            ? .fail(
                "expected settings that can be left out, found a refusal, \(Self.sentence(failure)); give each setting a default, or give settings with --settings"
            )
            : .fail(
                "expected the settings \(SubjectHost.shown(settings)) to be taken, found a refusal, \(Self.sentence(failure)); correct --settings, or the plugin's Settings"
            )
    }

    /// The settings that were asked for, with some of them in place of theirs.
    func settings(with some: Value) -> Value {
        guard case .object(var members) = job.settings, case .object(let others) = some else { return some }
        for (key, value) in others { members[key] = value }
        return .object(members)
    }

    /// A host that runs one instance, or several.
    func host(_ ids: [String]? = nil, records: Bool = true) throws(CheckFinding) -> SubjectHost {
        try SubjectHost(self, running: ids ?? [id], records: records)
    }

    /// What instances are granted from.
    func dependencies(_ report: @escaping @Sendable (HostReport) -> Void) -> HostDependencies {
        HostDependencies(
            clock: HostClock(clock: ContinuousClock()) { 1_700_000_000 }, dataDirectory: dataFolder,
            report: report)
    }

    /// The global type of a local one, for an instance.
    ///
    /// Who hears everything under its global name has the prefix only for what it declares itself.
    func global(_ type: String, of id: String? = nil) -> String {
        planned(as: id).names.global(ofHeard: type)
    }

    /// Waits for a while.
    static func pause(_ duration: Duration) {
        _ = poll(nil, 0, Int32(duration / .milliseconds(1)))
    }

    /// A place in a value and what does not fit there, as a clause.
    static func sentence(_ failure: CodingFailure) -> String {
        let place = failure.pointer.tokens.isEmpty ? "" : "\(failure.pointer): "
        return "\(place)expected \(failure.expected), found \(failure.found)"
    }
}
