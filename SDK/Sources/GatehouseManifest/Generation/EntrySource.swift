// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// The Swift file that the build tool adds to a plugin: its note, its entry and the coding of its actions.
public struct EntrySource: Sendable {
    /// The whole file.
    public let text: String
    /// Code that compiles and does nothing, in the order of files and positions; should fail a build.
    public let mistakes: [SourceMistake]

    /// Checks a manifest and writes the file.
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
        let (manifest, position) = try PluginManifest.parsingLocated(text)
        // The manifest of every Swift plugin names it.
        let principal = manifest.principal ?? ""
        let entry = EntryName(module: module)
        let actions: ActionEnum?
        let coding: PluginNote.Coding?
        var review: PrincipalReview?
        var missing: SourceMistake?
        do throws(ActionEnum.Refusal) {
            let module = try ModuleDeclarations(sources)
            review = PrincipalReview(principal, in: module)
            missing = review?.isMissing(in: path, at: position)
            actions = try ActionEnum.find(in: principal, module: module)
            coding = actions.map { _ in .generated }
        } catch {
            actions = nil
            coding = .codable(reason: error.reason)
        }
        mistakes = [missing].compactMap(\.self) + (review?.mistakes ?? [])
        var notes: [BuildConfiguration: String] = [:]
        for configuration in BuildConfiguration.allCases {
            let note = PluginNote(
                manifest: manifest, contract: .sdk(identity(configuration)), entry: entry, coding: coding,
                keepsState: review?.keepsState)
            let bytes = note.bytes
            guard bytes.count <= PluginNote.sizeLimit else {
                throw ManifestError([
                    LocatedProblem(
                        "expected a manifest that fits into a note of \(PluginNote.sizeLimit) bytes, found one that needs \(bytes.count); shorten the schema in \"settings\""
                    )
                ])
            }
            notes[configuration] = Self.declaration(of: bytes)
        }
        // Only the compiler knows which configuration it builds. It takes the lines of the alias and of the error for some of
        // the author's, so that it reports a misspelled type in `plugin.json` rather than in a generated file. With library
        // evolution, code would access the SDK's types in another way than the fingerprint promises.
        let location = "#sourceLocation(file: \(SwiftLiteral.string(path)), line: \(position.line))"
        self.text = """
            // Generated from plugin.json and the actions of the plugin. Changes are lost with the next build.

            \(actions?.isPublic == true ? "public " : "")import GatehouseSDK

            #if DEBUG
            \(notes[.debug, default: ""])
            #else
            \(notes[.release, default: ""])
            #endif

            \(location)
            private typealias GatehousePrincipal = \(principal)
            #sourceLocation()

            #if hasFeature(LibraryEvolution)
            \(location)
            #error("expected a target without library evolution, found -enable-library-evolution; remove it from the target's swiftSettings, because host and plugins share memory layouts")
            #sourceLocation()
            #endif

            @c(\(entry.symbol))
            public func gatehousePluginEntry(_ host: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
                unsafe PluginEntry.open(GatehousePrincipal.self, for: host)
            }
            \(actions.map { "\n" + ActionExtension(actions: $0).text } ?? "")
            """
    }

    /// Returns the constant that becomes the ELF note.
    ///
    /// It starts with the note's three sizes and the owner's name as words, because a constant in a section may hold numbers but
    /// no strings.
    private static func declaration(of bytes: [UInt8]) -> String {
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
