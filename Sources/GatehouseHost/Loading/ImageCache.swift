// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// The images of this process by the digest of their bytes: the same bytes are mapped once.
///
/// The same bytes mapped twice would be two different sets of types. Not thread-safe: one host, one thread at a time.
public final class ImageCache {
    private var images: [Digest: LoadedImage] = [:]

    /// No images yet.
    public init() {}

    /// The image of these bytes, mapped at the first call.
    public func image(of file: SealedFile, note: PluginNote) throws(LoadingError) -> LoadedImage {
        if let image = images[file.digest] { return image }
        let image = try LoadedImage(file: file, note: note)
        images[file.digest] = image
        return image
    }
}
