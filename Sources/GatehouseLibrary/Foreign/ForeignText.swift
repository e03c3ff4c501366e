// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse
internal import GatehouseSDK

/// What the host answers to a plugin; the numbers of `gatehouse_answer`.
enum ForeignAnswer: UInt32 {
    /// The function has done what it was asked for.
    case done = 0
    /// The instance, or the work, is over.
    case gone = 1
    /// A text or a number is not what it should be.
    case invalid = 2
    /// There is nothing there, or it is not granted.
    case absent = 3
    /// Not in this call, or not on this thread.
    case notNow = 4
}

extension gatehouse_text {
    /// More bytes than this are taken for a mistake of the plugin: 1 GiB.
    private static var longest: UInt64 { 1 << 30 }

    /// The bytes; nil when their address or number cannot be right. Valid as long as the plugin says.
    ///
    /// ## Safety
    /// The text comes from a plugin, which promises that so many bytes are there.
    var buffer: UnsafeRawBufferPointer? {
        guard unsafe count > 0 else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        guard let bytes = unsafe bytes, unsafe count <= Self.longest else { return nil }
        return unsafe UnsafeRawBufferPointer(start: bytes, count: Int(unsafe count))
    }

    /// The text, where it is not UTF-8 repaired; nil when its address or number of bytes cannot be right.
    var string: String? {
        unsafe buffer.map { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

/// Lends bytes to C for the length of a call.
///
/// ## Safety
/// What is given to the closure is valid inside of it only.
func withForeignText<Result>(_ bytes: [UInt8], _ body: (gatehouse_text) -> Result) -> Result {
    unsafe bytes.withUnsafeBytes { buffer in
        unsafe body(
            gatehouse_text(
                bytes: buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count: UInt64(buffer.count)))
    }
}

extension gatehouse_receiver {
    /// Gives a text to the plugin that asked for it.
    func give(_ bytes: [UInt8]) {
        guard let receive = unsafe receive else { return }
        unsafe withForeignText(bytes) { unsafe receive(context, $0) }
    }
}

/// Takes the text that a function of a plugin gives; one for each call, on one thread.
final class ReceivedText {
    /// What was given; nil for nothing.
    private(set) var bytes: [UInt8]?

    /// Calls a function of a plugin with a receiver, and gives what that was given.
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
