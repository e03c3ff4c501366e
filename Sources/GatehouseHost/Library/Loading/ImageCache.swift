// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// The images of this process by the digest of their bytes: the same bytes are mapped once.
///
/// The same bytes mapped twice would be two different sets of types. Not thread-safe: one host, one thread at a time.
public final class ImageCache {
    /// What bytes that have become part of this process led to, be it a failure.
    private var images: [Digest: Result<LoadedImage, LoadingError>] = [:]

    /// No images yet.
    public init() {}

    /// The image of these bytes, mapped at the first call.
    ///
    /// Bytes whose entry has refused stay mapped and are refused again from memory. What the loader itself refuses is
    /// tried again, since the library that was missing may have come.
    public func image(of file: SealedFile, note: PluginNote) throws(LoadingError) -> LoadedImage {
        if let known = images[file.digest] { return try known.get() }
        let result = Result { () throws(LoadingError) in
            try LoadedImage(path: ImagePath.next(for: file.descriptor), name: file.name, note: note)
        }
        if result.isMapped { images[file.digest] = result }
        return try result.get()
    }
}

extension Result<LoadedImage, LoadingError> {
    /// Whether the bytes have become part of this process.
    fileprivate var isMapped: Bool {
        switch self {
        case .success, .failure(.symbol), .failure(.entry), .failure(.undeclaredCases): true
        case .failure(.open), .failure(.file): false
        }
    }
}
