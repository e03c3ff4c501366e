// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// The Swift file that the build tool adds to a plugin: its note, its entry and the coding of its actions.
public struct EntrySource: Sendable {
    /// The manifest, already checked.
    private let manifest: PluginManifest
    /// The name of the function to export.
    private let entry: EntryName
    /// The note for each configuration; only the compiler knows which one it builds.
    private let notes: [BuildConfiguration: [UInt8]]
    /// The path of the `plugin.json`.
    private let manifestPath: String
    /// The principal, which the manifest of every Swift plugin names.
    private let principalName: String
    /// The position of the principal in the manifest.
    private let principal: TextPosition
    /// The enum for generated code; nil to leave it to `Codable`.
    private let actions: ActionEnum?
    /// Code that compiles and does nothing, in the order of files and positions; should fail a build.
    public let mistakes: [SourceMistake]

    /// Checks a manifest and prepares the notes.
    ///
    /// - Parameters:
    ///   - text: the content of the `plugin.json`.
    ///   - path: its path, for the compiler's messages about the principal.
    ///   - module: the name of the plugin's target.
    ///   - sources: all Swift files of that target, to find out how its actions are read and written, and whether it keeps
    ///     state.
    ///   - identity: returns the identity of the SDK in a configuration.
    /// - Throws: `ManifestError` with every problem of the manifest, or when a note exceeds its limit.
    public init(
        manifest text: [UInt8], path: String, module: String, sources: [SourceFile],
        identity: (BuildConfiguration) -> BuildIdentity
    ) throws(ManifestError) {
        (manifest, principal) = try PluginManifest.parsingLocated(text)
        principalName = manifest.principal ?? ""
        entry = EntryName(module: module)
        manifestPath = path
        let coding: PluginNote.Coding?
        var review: PrincipalReview?
        var missing: SourceMistake?
        do throws(ActionEnum.Refusal) {
            let module = try ModuleDeclarations(sources)
            review = PrincipalReview(principalName, in: module)
            missing = review?.isMissing(in: path, at: principal)
            actions = try ActionEnum.find(in: principalName, module: module)
            coding = actions.map { _ in .generated }
        } catch {
            actions = nil
            coding = .codable(reason: error.reason)
        }
        mistakes = [missing].compactMap(\.self) + (review?.mistakes ?? [])
        var notes: [BuildConfiguration: [UInt8]] = [:]
        for configuration in BuildConfiguration.allCases {
            let note = PluginNote(
                manifest: manifest, identity: identity(configuration), entry: entry, coding: coding,
                keepsState: review?.keepsState)
            let bytes = note.bytes
            guard bytes.count <= PluginNote.sizeLimit else {
                throw ManifestError([
                    LocatedProblem(
                        "expected a manifest that fits into a note of \(PluginNote.sizeLimit) bytes, found one that needs \(bytes.count); shorten the schema in \"settings\""
                    )
                ])
            }
            notes[configuration] = bytes
        }
        self.notes = notes
    }

    /// The whole file.
    ///
    /// The note starts with its three sizes and the owner's name as words, because a constant in a section
    /// may hold numbers but no strings.
    public var text: String {
        """
        // Generated from plugin.json and the actions of the plugin. Changes are lost with the next build.

        \(actions?.isPublic == true ? "public " : "")import GatehouseSDK

        #if DEBUG
        \(declaration(of: notes[.debug, default: []]))
        #else
        \(declaration(of: notes[.release, default: []]))
        #endif

        \(principalAlias)

        \(evolutionCheck)

        @c(\(entry.symbol))
        public func gatehousePluginEntry(_ host: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
            unsafe PluginEntry.open(GatehousePrincipal.self, for: host)
        }
        \(actions.map { "\n" + ActionExtension(actions: $0).text } ?? "")
        """
    }

    /// The declaration that names the principal.
    ///
    /// The compiler takes its line for one of the author's, so that it reports a misspelled type in `plugin.json` rather
    /// than in a generated file.
    private var principalAlias: String {
        """
        #sourceLocation(file: \(SwiftLiteral.string(manifestPath)), line: \(principal.line))
        private typealias GatehousePrincipal = \(principalName)
        #sourceLocation()
        """
    }

    /// Fails the build of a target with library evolution, whose code would access the SDK's types in another way than the
    /// fingerprint promises.
    private var evolutionCheck: String {
        """
        #if hasFeature(LibraryEvolution)
        #sourceLocation(file: \(SwiftLiteral.string(manifestPath)), line: \(principal.line))
        #error("expected a target without library evolution, found -enable-library-evolution; remove it from the target's swiftSettings, because host and plugins share memory layouts")
        #sourceLocation()
        #endif
        """
    }

    /// Returns the constant that becomes the ELF note.
    private func declaration(of bytes: [UInt8]) -> String {
        let name = Array(PluginNote.owner.utf8) + [0]
        let padded = name + [UInt8](repeating: 0, count: 12 - name.count)
        let nameWords = SwiftLiteral.words(padded, as: UInt32.self)
        let words = SwiftLiteral.words(bytes, as: UInt64.self)
        let lines = stride(from: 0, to: words.count, by: 4).map { start in
            "\n    " + words[start...].prefix(4).joined(separator: ", ") + ","
        }
        return """
            @section(".note.gatehouse") @used
            private let gatehouseNote:
                (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, InlineArray<\(words.count), UInt64>) = (
                \(name.count), \(bytes.count), \(PluginNote.type), \(nameWords.joined(separator: ", ")),
                [\(lines.joined())
                ]
                )
            """
    }
}
