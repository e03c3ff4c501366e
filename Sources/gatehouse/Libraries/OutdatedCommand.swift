// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse outdated`: compares the libraries in the plugin folder with those of an index.
struct OutdatedCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Prints the libraries of which there are newer versions that fit this host.
    func run() throws(Ended) -> ExitCode {
        let visit = try IndexVisit(options)
        let scratch = try ScratchFolder.orEnd()
        let index = try visit.shelf.index(judgedBy: visit.judge, through: scratch.path)
        let folder: PluginFolder
        do throws(LibraryFileError) {
            folder = try PluginFolder(path: visit.folder, trust: FileTrust(isStrict: false))
        } catch {
            throw Ended(.configuration, "\(error)")
        }
        let found = folder.candidates.compactMap { library -> Outdated? in
            guard let manifest = library.verdict.note?.manifest,
                let newest = index.newest(manifest.id).entry, manifest.version < newest.version
            else { return nil }
            return Outdated(
                library: library.fileName, id: manifest.id, version: "\(manifest.version)",
                newest: "\(newest.version)")
        }
        if options.isJSON {
            Results.write(.array(found.map(\.value)), .pretty)
        } else {
            for library in found { Results.writeLine(library.line) }
        }
        if found.isEmpty { StandardError.tell("the index has nothing newer that fits this host") }
        return .success
    }
}

/// A library of which there is a newer version.
private struct Outdated {
    /// The name of its file.
    let library: String
    /// The id of its plugin.
    let id: String
    /// Its version.
    let version: String
    /// The newest version that fits this host.
    let newest: String

    /// The line about it.
    var line: String { "\(library): \(id) \(version), \(newest) can be had by gatehouse add \(id)" }

    /// The same for programs.
    var value: Value {
        [
            "library": .string(library), "id": .string(id), "version": .string(version),
            "newest": .string(newest),
        ]
    }
}
