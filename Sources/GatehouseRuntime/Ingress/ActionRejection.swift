// SPDX-License-Identifier: Apache-2.0

package import GatehouseValue

/// Why a line of input is not an action, and where in it.
package struct ActionRejection: Error, Equatable, Sendable {
    /// The line, from 1.
    package let line: Int

    /// The column where the wrong part starts, from 1, in Unicode scalars.
    package let column: Int

    /// The problem.
    package let reason: Reason

    /// A problem of a line.
    package enum Reason: Equatable, Sendable {
        /// The line is not JSON as RFC 8259 defines it.
        case syntax(JSONSyntaxError.Reason)
        /// Bytes that are not UTF-8; `position` counts bytes from 1, `byte` is the one found there.
        case invalidUTF8(byte: UInt8, position: Int)
        /// The line has more bytes than the input's limit, so it was not read.
        case tooLong(bytes: Int, limit: Int)
        /// The type is a new name, and the limit on new types in use is reached.
        case tooManyTypes
        /// The line is a JSON value other than an object.
        case notAnObject(found: String)
        /// The object names no type.
        case missingType
        /// The type is not a string.
        case typeNotString(found: String)
        /// The type is an empty string.
        case emptyType
        /// A member that actions do not have, and the likely intended one.
        case unknownMember(name: String, suggestion: String?)
        /// A member of the action given twice, the first time in column `first`.
        case duplicateMember(name: String, first: Int)
        /// The error mark is not a boolean.
        case errorNotBoolean(found: String)
        /// The meta member is not an object.
        case metaNotObject(found: String)
        /// The line has no type where wrapped lines do; nil where nothing is found there.
        case noWrappedType(at: JSONPointer, found: String?)
    }
}

extension ActionRejection: CustomStringConvertible {
    /// Position and sentence, to be appended to the input's name and a colon: `3:9: expected …`.
    package var description: String { "\(line):\(column): \(reason)" }
}
