// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
private import Synchronization

/// The images of this process by the digest of their bytes and of those they bring along: the same bytes are mapped once.
///
/// The same bytes mapped twice would be two different sets of types. Callable from any thread; one image is mapped at a time.
public final class ImageCache: Sendable {
    /// What the lock guards.
    private struct State {
        /// What bytes that have become part of this process led to, be it a failure.
        var images: [Digest: Result<LoadedImage, LoadingError>] = [:]
        /// Where images are mapped from; nil before the first one.
        var store: ImageStore?
        /// What kept images from being mapped from the store; nil for nothing so far.
        var obstacle: ImageStoreError?
    }

    /// The folder of the image store; nil where there is none, and everything is mapped from memory.
    package let folder: String?
    /// Whom the folders above the store may belong to.
    package let trust: FileTrust
    /// The lock is held while an image is mapped.
    private let state = Mutex(State())

    /// No images yet.
    ///
    /// - Parameters:
    ///   - folder: this user's cache folder; nil to map everything from memory.
    ///   - trust: the rules for the folders above it.
    public init(folder: String? = nil, trust: FileTrust = FileTrust(isStrict: false)) {
        self.folder = folder
        self.trust = trust
    }

    /// How many images have become part of this process; none of them ever leaves it.
    package var mappedCount: Int { state.withLock { $0.images.count } }

    /// The image of these bytes, mapped at the first call.
    ///
    /// Bytes whose entry has refused stay mapped and are refused again from memory. What the loader itself refuses is
    /// tried again, since the library that was missing may have come.
    ///
    /// - Parameters:
    ///   - place: where they are mapped from, as far as that can be had.
    ///   - isTried: whether a child has found the note true.
    public func image(
        of content: ImageContent, note: PluginNote, from place: ImagePlace = .cache, isTried: Bool = false
    ) throws(LoadingError) -> LoadedImage {
        try state.withLock { state in
            Result { () throws(LoadingError) in
                if let known = state.images[content.digest] { return try known.get() }
                let path =
                    try path(of: content, from: place, &state) ?? ImagePath.next(for: content.file.descriptor)
                let result = Result { () throws(LoadingError) in
                    try LoadedImage(path: path, name: content.file.name, note: note, isTried: isTried)
                }
                if result.isMapped { state.images[content.digest] = result }
                return try result.get()
            }
        }.get()
    }

    /// The path of a file with a library's bytes, which were compared just now; nil where they are mapped from memory.
    ///
    /// When no file is to be had, the reason is kept for `settle`.
    ///
    /// - Throws: when memory will not do, because of what the library needs from its own folder.
    package func path(of content: ImageContent, from place: ImagePlace) throws(LoadingError) -> String? {
        try state.withLock { state in
            Result { () throws(LoadingError) in try path(of: content, from: place, &state) }
        }.get()
    }

    /// Tells what an operator should know about where images were mapped from, and clears old ones away.
    public func settle() -> [String] {
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

    /// The path of a file in the store; nil, for a reason that is kept, when there is none to be had.
    private func storedPath(of content: ImageContent, _ state: inout State) -> String? {
        // One thing that is wrong there is told once, and tried again for the images of the next assembly.
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

    /// What it means that there is no store, and what to do.
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
