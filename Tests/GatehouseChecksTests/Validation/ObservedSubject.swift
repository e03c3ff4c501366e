// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseChecks
@testable import GatehouseLibrary
@testable import GatehouseSupport

/// A plugin under check in this process, with what the child of a check would tell its host about it.
///
/// Only for plugins that damage nothing: nobody restarts this process.
final class ObservedSubject {
    /// The plugin as checks use it.
    let subject: Subject
    /// What is loaded, by a path through its descriptor.
    private let library: SealedFile
    /// Where the events are written.
    private let folder: TemporaryFolder
    /// The file of the events.
    private let descriptor: Int32

    /// Loads nothing yet.
    ///
    /// - Parameters:
    ///   - settings: the settings of instances.
    ///   - examples: the actions that the plugin is known to take.
    init(_ target: String, settings: Value = [:], examples: [ExampleAction] = []) throws {
        library = try SealedFile(path: BuiltProducts.library(target), trust: nil)
        let note = try #require(unsafe try library.withBytes { unsafe Verdict(judging: $0) }.note)
        var request = ValidationRequest(
            path: ImagePath.next(for: library.descriptor), name: library.name, note: note.value, seed: 1)
        request.settings = settings
        request.examples = examples
        folder = try TemporaryFolder()
        try folder.write("", to: "events")
        descriptor = unsafe open(folder("events"), O_WRONLY | O_APPEND | O_CLOEXEC)
        subject = try #require(Subject(request, writer: ChildEventWriter(descriptor: descriptor)))
    }

    deinit { close(descriptor) }

    /// The steps told so far, in order.
    var steps: [String] {
        get throws {
            try folder.read("events").split(separator: "\n").compactMap {
                if case .step(let text)? = ValidationEvent(line: $0) { text } else { nil }
            }
        }
    }

    /// Performs a check that runs code; what it says may be an early end.
    @discardableResult
    func perform(_ check: String) throws -> CheckDiagnostic {
        guard case .child(let work)? = ValidationCheck[check]?.work else {
            throw CheckDiagnostic.fail("there is no check \(check) in a child")
        }
        do throws(CheckDiagnostic) { return try work(subject) } catch { return error }
    }
}
