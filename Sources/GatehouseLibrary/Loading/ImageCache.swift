// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
private import Synchronization

/// The images of this process by the digest of their bytes and of those they bring along: the same bytes are mapped once.
///
/// The same bytes mapped twice would be two different sets of types. Callable from any thread; maps one image at a time.
package final class ImageCache: Sendable {
    /// The state that the lock guards.
    private struct State {
        /// The result for bytes that have become part of this process, including failures.
        var images: [Digest: Result<LoadedImage, LoadingError>] = [:]
        /// The store to map images from; nil before the first one.
        var store: ImageStore?
        /// The failure that prevented images from being mapped from the store; nil for none so far.
        var obstacle: ImageStoreError?
    }

    /// The folder of the image store; nil to map everything from memory.
    package let folder: String?
    /// The rules for the folders above the store.
    package let trust: FileTrust
    /// The lock is held while an image is mapped.
    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - folder: this user's cache folder; nil to map everything from memory.
    ///   - trust: the rules for the folders above it.
    package init(folder: String? = nil, trust: FileTrust = FileTrust(isStrict: false)) {
        self.folder = folder
        self.trust = trust
    }

    /// The number of images that have become part of this process; none ever leaves it.
    package var mappedCount: Int { state.withLock { $0.images.count } }

    /// The image of these bytes, mapped at the first call.
    ///
    /// Bytes whose entry has refused stay mapped, and their refusal is remembered. A refusal of the loader is tried again,
    /// since a missing library may have been installed.
    ///
    /// - Parameters:
    ///   - place: where to map them from, if possible.
    ///   - isTried: whether a child has verified the note.
    package func image(
        of content: ImageContent, note: PluginNote, from place: ImagePlace = .cache, isTried: Bool = false
    ) throws(LoadingError) -> LoadedImage {
        try state.withLock { state throws(LoadingError) in
            if let known = state.images[content.digest] { return try known.get() }
            let path =
                try path(of: content, from: place, &state) ?? ImagePath.next(for: content.file.descriptor)
            let result = Result { () throws(LoadingError) in
                try LoadedImage(path: path, name: content.file.name, note: note, isTried: isTried)
            }
            if result.isMapped { state.images[content.digest] = result }
            return try result.get()
        }
    }

    /// The path of a file with a library's bytes, freshly compared; nil to map them from memory.
    ///
    /// When no file is available, the reason is kept for `settle`.
    ///
    /// - Throws: when memory is not enough, because the library needs others from its own folder.
    package func path(of content: ImageContent, from place: ImagePlace) throws(LoadingError) -> String? {
        try state.withLock { state throws(LoadingError) in try path(of: content, from: place, &state) }
    }

    /// Returns warnings for an operator about where images were mapped from, and removes old ones.
    package func settle() -> [String] {
        state.withLock { state in
            state.store?.clear()
            let warnings =
                (state.store?.takeWarnings() ?? []) + (state.obstacle.map { [Self.advice($0)] } ?? [])
            state.obstacle = nil
            return warnings
        }
    }

    // MARK: - Implementation details

    /// The path of a file; see above.
    private func path(of content: ImageContent, from place: ImagePlace, _ state: inout State)
        throws(LoadingError) -> String?
    {
        let path = place == .cache ? storedPath(of: content, &state) : nil
        guard path != nil || content.companions.isEmpty else {
            throw .companions(content.companions.map(\.name))
        }
        return path
    }

    /// The path of a file in the store; nil, after recording the reason, when none is available.
    private func storedPath(of content: ImageContent, _ state: inout State) -> String? {
        // A problem of the store is reported once, and the store is tried again for the images of the next assembly.
        guard let folder, state.obstacle == nil else { return nil }
        do throws(ImageStoreError) {
            if state.store?.folder.isGone == true { state.store = nil }
            if state.store == nil { state.store = try ImageStore(in: folder, trust: trust) }
            return try state.store?.path(of: content)
        } catch {
            state.obstacle = error
            return nil
        }
    }

    /// The consequences of having no store, and the remedy.
    private static func advice(_ obstacle: ImageStoreError) -> String {
        "plugins are mapped from memory, where backtraces and debuggers do not find them: \(obstacle); "
            + "correct that, name another folder in CACHE_DIRECTORY, or write \"images\": \"memory\""
    }
}

extension Result<LoadedImage, LoadingError> {
    /// Whether the bytes have become part of this process.
    fileprivate var isMapped: Bool {
        switch self {
        case .success, .failure(.symbol), .failure(.entry), .failure(.foreignTable),
            .failure(.undeclaredCases),
            .failure(.settings), .failure(.state), .failure(.stateVersion):
            true
        case .failure(.open), .failure(.companions), .failure(.file): false
        }
    }
}
