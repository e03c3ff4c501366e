// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
package import GatehousePlan
package import GatehouseSupport

// The one place that says what code of instances may reach in a process of its own.
extension PlannedInstance {
    /// The files that its worker may reach: what programs read, its library with all that this needs, and what its entry grants.
    ///
    /// - Parameters:
    ///   - image: the path of a file with its library, which its companions lie beside; nil where it is mapped from memory.
    ///   - folder: its folder for data; nil for none.
    func access(to image: String?, changing folder: String? = nil) -> FileAccess {
        FileAccess(
            changing: (folder.map { [$0] } ?? []) + entry.grant.files,
            reading: FileAccess.ofWorkers + readable(image))
    }

    /// What it may read beyond what every worker may.
    ///
    /// - Parameter image: the path of a file with its library; nil where it is mapped from memory, or in a folder that is named elsewhere.
    fileprivate func readable(_ image: String?) -> [String] {
        let libraries =
            (image.map { [SystemFile.parts(of: $0).folder] } ?? []) + (library?.verdict.neededFiles ?? [])
            // Whoever judges the library looks for its version there.
            + (match.map { [SystemFile.parts(of: $0.version.folder).folder] } ?? [])
        return libraries.filter { $0.hasPrefix("/") } + entry.grant.read
    }
}

extension FileAccess {
    /// What a child may read that runs code of some instances in one process, and changes nothing.
    ///
    /// They share its memory, so it is everything that its user may read where one of them runs in the host, because that one may read as
    /// much there. Otherwise it is what their workers may read together.
    ///
    /// - Parameters:
    ///   - instances: those whose code runs, each with the path of a file with its library; nil where it is mapped from memory, or lies in
    ///     one of the other places.
    ///   - others: what the child reads itself.
    package static func reading(
        for instances: [(planned: PlannedInstance, image: String?)], and others: [String] = []
    ) -> FileAccess {
        guard instances.allSatisfy(\.planned.runsInWorker) else { return FileAccess() }
        let own = Set(instances.flatMap { $0.planned.readable($0.image) } + others)
        return FileAccess(reading: ofWorkers + own.sorted())
    }

    /// What every worker may read: what programs read, and the libraries of this host.
    fileprivate static var ofWorkers: [String] {
        ofPrograms + LoadedLibraries.host.folders.filter { $0.hasPrefix("/") }.sorted()
    }

    /// Where the images lie that a child loads which looks back: those of a journal, and those of the store.
    package static func images(of journal: String) -> [String] {
        [journal] + (CacheFolder.current.map { [$0 + "/images"] } ?? [])
    }
}
