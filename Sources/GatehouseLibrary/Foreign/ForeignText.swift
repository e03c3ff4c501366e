// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse
internal import GatehouseSDK

/// Why the host does not do what a plugin requests; the numbers are those of `gatehouse_answer`, whose 0 says that it is done.
enum ForeignRefusal: UInt32, Error {
    /// The instance, or the work, has ended.
    case gone = 1
    /// A text or a number is invalid.
    case invalid = 2
    /// The requested thing does not exist, or is not granted.
    case absent = 3
    /// Not allowed in this call, or on this thread.
    case notNow = 4
}

extension gatehouse_text {
    /// The maximum length, 1 GiB; a longer text must be a mistake of the plugin.
    private static var longest: UInt64 { 1 << 30 }

    /// The bytes; nil when their address or number cannot be right. The plugin determines how long they are
    /// valid.
    ///
    /// ## Safety
    /// The text comes from a plugin, which promises that this many bytes are there.
    package var buffer: UnsafeRawBufferPointer? {
        guard unsafe count > 0 else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        guard let bytes = unsafe bytes, unsafe count <= Self.longest else { return nil }
        return unsafe UnsafeRawBufferPointer(start: bytes, count: Int(unsafe count))
    }

    /// The text, with invalid UTF-8 repaired; nil when its address or number of bytes cannot be right.
    package var string: String? { unsafe buffer.map { unsafe String(decoding: $0, as: UTF8.self) } }
}

/// Lends bytes to C for the duration of a call.
///
/// ## Safety
/// The argument of the closure is valid inside it only.
func withForeignText<Result>(_ bytes: [UInt8], _ body: (gatehouse_text) -> Result) -> Result {
    unsafe bytes.withUnsafeBytes { buffer in
        unsafe body(
            gatehouse_text(
                bytes: buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count: UInt64(buffer.count)))
    }
}

extension gatehouse_receiver {
    /// Passes a text to the plugin that asked for it.
    package func give(_ bytes: [UInt8]) {
        guard let receive = unsafe receive else { return }
        unsafe withForeignText(bytes) { unsafe receive(context, $0) }
    }
}

/// Receives the text from a function of a plugin; one for each call, on one thread.
final class ReceivedText {
    /// The received text; nil for none.
    private(set) var bytes: [UInt8]?

    /// Calls a function of a plugin with a receiver, and returns the received text.
    static func of(_ body: (gatehouse_receiver) -> Void) -> [UInt8]? {
        let received = ReceivedText()
        unsafe body(
            gatehouse_receiver(
                context: Unmanaged.passUnretained(received).toOpaque(),
                receive: { context, text in
                    guard let context = unsafe context, let buffer = unsafe text.buffer else { return }
                    unsafe Unmanaged<ReceivedText>.fromOpaque(context).takeUnretainedValue().bytes =
                        unsafe [UInt8](buffer)
                }))
        return withExtendedLifetime(received) { received.bytes }
    }
}
