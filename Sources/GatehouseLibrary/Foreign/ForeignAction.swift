// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse

/// An action as a plugin passes it, valid during the plugin's call.
@unsafe
struct ForeignAction {
    /// The name of its type.
    let type: UnsafeRawBufferPointer
    /// Whether it reports an error.
    let isError: Bool
    /// Its payload as JSON; empty for none.
    let payload: UnsafeRawBufferPointer

    /// Takes a plugin's action apart.
    ///
    /// - Throws: `invalid` for one that is none, or that a later version of the header describes.
    init(_ action: UnsafePointer<gatehouse_action>?) throws(ForeignRefusal) {
        guard let action = unsafe action?.pointee, let type = unsafe action.type.buffer,
            let payload = unsafe action.payload.buffer, unsafe action.is_error <= 1,
            unsafe action.reserved == 0
        else { throw .invalid }
        unsafe (self.type, isError, self.payload) = unsafe (type, action.is_error != 0, payload)
    }
}
