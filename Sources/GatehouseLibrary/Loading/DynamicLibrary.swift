// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// A library mapped into this process, for ever.
///
/// Images that contain Swift code must not be unloaded: the runtime keeps pointers into them, which the next search for
/// a protocol conformance would follow. So there is no way to close one, and `RTLD_NODELETE` makes a stray `dlclose`
/// harmless.
///
/// ## Safety
/// Opening a library runs its initialisers. Open only libraries that a verdict has accepted.
@safe
struct DynamicLibrary {
    /// The handle that `dlopen` returned; it is never closed.
    private let handle: UnsafeMutableRawPointer
    /// The path for the loader.
    private let path: String
    /// The name of the library in messages.
    private let name: String

    /// Maps a library and binds all its symbols. The corresponding C function is `dlopen`.
    ///
    /// - Parameters:
    ///   - path: must never have led to another image in this process: the loader compares paths before it opens, and
    ///     would return the image it loaded under the same path earlier.
    ///   - name: names the library in messages.
    init(path: String, name: String) throws(LoadingError) {
        guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw .open(reason: Self.lastError(about: path, name: name))
        }
        unsafe self.handle = handle
        self.path = path
        self.name = name
    }

    /// The address of an exported symbol. The corresponding C function is `dlsym`.
    func address(of symbol: String) throws(LoadingError) -> UnsafeMutableRawPointer {
        guard let address = unsafe dlsym(handle, symbol) else {
            throw .symbol(name: symbol, reason: Self.lastError(about: path, name: name))
        }
        return unsafe address
    }

    /// The range of the mapped library that contains an address; nil when there is none.
    static func range(around address: UnsafeRawPointer) -> Range<UInt>? {
        var (start, end) = (UInt64(), UInt64())
        guard unsafe gatehouse_image_range(address, &start, &end) == 0, start < end else { return nil }
        return UInt(start)..<UInt(end)
    }

    /// The loader's message about the last failure on this thread, with the library's name instead of its path in this
    /// process, which is meaningless to a reader. The corresponding C function is `dlerror`.
    private static func lastError(about path: String, name: String) -> String {
        guard let text = unsafe dlerror() else { return "the loader gave no reason" }
        return Quotation.bare(unsafe String(cString: text).replacing(path, with: name))
    }
}
