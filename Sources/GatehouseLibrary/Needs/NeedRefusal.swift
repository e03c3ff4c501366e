// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// A reason not to load a library because of what it would bring along.
package enum NeedRefusal: Error, Equatable, Sendable {
    /// The loader would not find a library.
    case missing(NeededLibrary)
    /// It is needed by a path that others choose or may write to.
    case place(NeededLibrary, RunPathEntry)
    /// The file that the loader would use, or something on the way to it, is not trustworthy.
    case file(NeededLibrary, LibraryFileError)
    /// The file that the loader would use cannot be read.
    case bytes(NeededLibrary, ELFError)
    /// The file that the loader would use from the plugin folder would weaken the process.
    case hazard(NeededLibrary, ELFHazard)
    /// A folder of the run path lets others put code into the host: of a needed library, or of the plugin itself for nil.
    case runPath(RunPathEntry, of: String?)
    /// A folder of `LD_LIBRARY_PATH` does so.
    case libraryPath(RunPathEntry)
    /// A needed library, or the plugin for nil, has the name of one that a file here needs, or the host for nil.
    case takenName(String, of: String?, by: String?)
}

extension NeedRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let library) where library.source == .beside:
            "\(library), which is beside it, where the loader does not look; link the plugin with -rpath '$ORIGIN', or install the library where the system's loader looks"
        case .missing(let library):
            "\(library), which is neither part of this host nor where the system's loader looks; install it, or link it statically"
        case .place(let library, let folder):
            "\(library), \(folder.danger); install it where the system's loader looks, or link it statically"
        case .file(let library, let error):
            "\(library), which is not safe to load: \(Quotation.bare(error.description))"
        case .bytes(let library, let error): "\(library), which cannot be read: \(error)"
        case .hazard(let library, let hazard):
            "\(library), which is not safe to load: \(hazard)"
        case .runPath(let entry, nil):
            "its run path has \(Quotation.of(entry.text)), \(entry.danger); link the plugin without it"
        case .runPath(let entry, let owner?):
            "needs \(Quotation.bare(owner)), whose run path has \(Quotation.of(entry.text)), \(entry.danger); link that library without it"
        case .libraryPath(let entry):
            "LD_LIBRARY_PATH, where the loader looks for what it needs, has \(Quotation.of(entry.text)), \(entry.danger); start the host without it"
        case .takenName(let name, let owner, let other):
            "\(owner.map { "needs \(Quotation.bare($0)), which" } ?? "it") calls itself \(Quotation.bare(name)), and \(other.map(Quotation.bare) ?? "this host") needs another library of that name; link it with -soname and a name of its own"
        }
    }
}

extension RunPathEntry {
    /// How others could misuse the folder.
    fileprivate var danger: String {
        switch finding {
        case .token: return "with a $ that is not $ORIGIN at its start"
        case .outside: return "which leaves the plugin's folder"
        case .process: return "which is another folder in each process"
        case .writable(let path):
            if path == text { return "a folder that others may write to" }
            let relation = path.hasPrefix(text + "/") ? "above" : "below"
            return "a folder \(relation) \(Quotation.bare(path)), which others may write to"
        case .trusted, .origin, .relative, .elsewhere: return "relative to wherever the host is started"
        }
    }
}
