// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The plugin under check, in the process of the check; used on one thread.
package final class Subject {
    /// The request of the check.
    let request: ValidationRequest
    /// The library's note.
    let note: PluginNote
    /// The known actions that the plugin accepts.
    var examples: [ExampleAction]
    /// The folder in which instances keep data.
    var dataFolder = ScratchFolder.ofChild + "/data"
    /// The current folder of the process, in which nobody is to leave anything.
    static let workFolder = ScratchFolder.ofChild + "/work"
    /// Reports to the host.
    private let writer: ChildEventWriter
    /// The loaded library; nil before.
    private var image: LoadedImage?

    /// Creates a subject that is not loaded yet; nil without a note.
    init?(_ request: ValidationRequest, writer: ChildEventWriter) {
        guard let note = try? PluginNote(parsing: Array(request.note.json().utf8)) else { return nil }
        self.note = note
        self.request = request
        self.writer = writer
        examples = request.examples
    }

    /// The author's manifest.
    var manifest: PluginManifest { note.manifest }

    /// The id of the first instance.
    var id: String { manifest.id }

    /// The actions sent by default: those the author recorded, and one of each that the plugin accepts.
    var recording: [ExampleAction] { examples + request.input }

    /// Reports the next step, as the end of "it died …".
    func announce(_ step: String) {
        writer.tell(ValidationEvent.step(step.count > 300 ? step.prefix(300) + "…" : step).line)
    }

    /// Loads the library, once.
    ///
    /// - Throws: why it is refused.
    func load() throws(CheckDiagnostic) -> LoadedImage {
        if let image { return image }
        do throws(LoadingError) {
            let loaded = try LoadedImage(path: request.path, name: request.name, note: note, isTried: true) {
                step in
                announce(
                    step == .load
                        ? "while it was loaded, in code that runs before its entry" : "in its entry")
            }
            image = loaded
            return loaded
        } catch {
            throw CheckDiagnostic(outcome: .fail, sentences: error.sentences)
        }
    }

    /// Returns a configuration entry for the plugin, with the request's settings unless others are given.
    func planned(_ settings: Value? = nil, as id: String? = nil) -> PlannedInstance {
        PlannedInstance(
            InstanceConfiguration(id: id ?? self.id, settings: settings ?? request.settings),
            manifest: manifest.withoutNarrowing,
            keepsState: note.keepsState)
    }

    /// Makes an instance outside a host.
    ///
    /// - Throws: that its settings do not fit.
    func instance() throws(CheckDiagnostic) -> Instance {
        let exports = try load().exports
        let settings = request.settings
        announce("while its parts were made with the settings \(settings.json())")
        do throws(CodingFailure) {
            return try Instance(
                planned(settings), exports: exports, tree: StateTree(plain: .object(Members())),
                dependencies: dependencies { _ in })
        } catch {
            throw refusal(of: settings, error)
        }
    }

    /// Returns the finding on refused settings.
    func refusal(of settings: Value, _ failure: CodingFailure) -> CheckDiagnostic {
        settings == .object(Members())
            ? .fail(
                "expected settings that can be left out, found a refusal, \(Self.sentence(failure)); give each setting a default, or give settings with --settings"
            )
            : .fail(
                "expected the settings \(SubjectHost.shown(settings)) to be taken, found a refusal, \(Self.sentence(failure)); correct --settings, or the plugin's Settings"
            )
    }

    /// Returns the request's settings with some of them replaced.
    func settings(with some: Value) -> Value {
        guard case .object(var members) = request.settings, case .object(let others) = some else {
            return some
        }
        for (key, value) in others { members[key] = value }
        return .object(members)
    }

    /// Returns the dependencies of instances.
    ///
    /// - Parameter time: the time of day, in seconds since 1970; the same at any time unless a check needs the real one.
    func dependencies(
        time: @escaping @Sendable () -> Double = { 1_700_000_000 },
        _ report: @escaping @Sendable (HostReport) -> Void
    ) -> HostDependencies {
        HostDependencies(
            clock: HostClock(clock: ContinuousClock(), unixTime: time), dataDirectory: dataFolder,
            report: report)
    }

    /// Returns the global type of a local one, for an instance.
    ///
    /// An instance that hears everything under global names has the prefix only for types it declares itself.
    func global(_ type: String, of id: String? = nil) -> String {
        planned(as: id).names.global(ofHeard: type)
    }

    /// Waits for a duration.
    static func pause(_ duration: Duration) { _ = poll(nil, 0, Int32(duration / .milliseconds(1))) }

    /// Describes a failure and its place, as a clause.
    static func sentence(_ failure: CodingFailure) -> String {
        let place = failure.pointer.tokens.isEmpty ? "" : "\(failure.pointer): "
        return "\(place)expected \(failure.expected), found \(failure.found)"
    }
}
