// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
private import Synchronization

/// The libraries of a worker's process: instances of the same one share it, as they do in a host.
///
/// Callable from any thread; maps one at a time.
final class WorkerImages: Sendable {
    /// Those that are mapped, by their paths.
    private let images = Mutex<[String: LoadedImage]>([:])

    /// The library of an instance, mapped at the first call.
    ///
    /// - Throws: `LoadingError`, or what is wrong with the note, which the host has read before.
    func image(of member: WorkerRequest.Member) throws -> LoadedImage {
        try images.withLock { images in
            if let known = images[member.path] { return known }
            let note = try PluginNote(parsing: Array(member.note.json().utf8))
            let image = try LoadedImage(path: member.path, name: member.name, note: note)
            images[member.path] = image
            return image
        }
    }
}
