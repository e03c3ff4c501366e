// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// The images of this process by the digest of their bytes and of those they bring along: the same bytes are mapped once.
///
/// The same bytes mapped twice would be two different sets of types. Not thread-safe: one host, one thread at a time.
public final class ImageCache {
    /// What bytes that have become part of this process led to, be it a failure.
    private var images: [Digest: Result<LoadedImage, LoadingError>] = [:]
    /// The folder of the image store; nil where there is none, and everything is mapped from memory.
    let folder: String?
    /// Whom the folders above the store may belong to.
    let trust: FileTrust
    /// Where images are mapped from; nil before the first one.
    private var store: ImageStore?
    /// What kept images from being mapped from the store; nil for nothing so far.
    private var obstacle: ImageStoreError?

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
    var mappedCount: Int { images.count }

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
        if let known = images[content.digest] { return try known.get() }
        let path = try path(of: content, from: place) ?? ImagePath.next(for: content.file.descriptor)
        let result = Result { () throws(LoadingError) in
            try LoadedImage(path: path, name: content.file.name, note: note, isTried: isTried)
        }
        if result.isMapped { images[content.digest] = result }
        return try result.get()
    }

    /// The path of a file with a library's bytes, which were compared just now; nil where they are mapped from memory.
    ///
    /// When no file is to be had, the reason is kept for `settle`.
    ///
    /// - Throws: when memory will not do, because of what the library needs from its own folder.
    func path(of content: ImageContent, from place: ImagePlace) throws(LoadingError) -> String? {
        let path = place == .cache ? storedPath(of: content) : nil
        guard path != nil || content.companions.isEmpty else {
            throw .companions(content.companions.map(\.name))
        }
        return path
    }

    /// Tells what an operator should know about where images were mapped from, and clears old ones away.
    public func settle() -> [String] {
        store?.clear()
        let warnings = (store?.takeWarnings() ?? []) + (obstacle.map { [Self.advice($0)] } ?? [])
        obstacle = nil
        return warnings
    }

    // MARK: - Implementation details

    /// The path of a file in the store; nil, for a reason that is kept, when there is none to be had.
    private func storedPath(of content: ImageContent) -> String? {
        // One thing that is wrong there is told once, and tried again for the images of the next assembly.
        guard let folder, obstacle == nil else { return nil }
        do throws(ImageStoreError) {
            if store?.folder.isGone == true { store = nil }
            if store == nil { store = try ImageStore(in: folder, trust: trust) }
            return try store?.path(of: content)
        } catch {
            obstacle = error
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
