// SPDX-License-Identifier: Apache-2.0

/// The tags in the top 8 bits of a tape's words.
@usableFromInline
enum TapeTag {
    /// The beginning of an object, written `{`.
    @usableFromInline static var object: UInt8 { @inlinable get { 0x7B } }
    /// The end of an object, written `}`.
    @usableFromInline static var objectEnd: UInt8 { @inlinable get { 0x7D } }
    /// The beginning of an array, written `[`.
    @usableFromInline static var array: UInt8 { @inlinable get { 0x5B } }
    /// The end of an array, written `]`.
    @usableFromInline static var arrayEnd: UInt8 { @inlinable get { 0x5D } }
    /// A string, written `"`.
    @usableFromInline static var string: UInt8 { @inlinable get { 0x22 } }
    /// A number kept as text, written `#`.
    @usableFromInline static var bigNumber: UInt8 { @inlinable get { 0x23 } }
    /// An integer that fits `Int64`, written `l`.
    @usableFromInline static var integer: UInt8 { @inlinable get { 0x6C } }
    /// An integer above `Int64.max`, written `u`.
    @usableFromInline static var unsigned: UInt8 { @inlinable get { 0x75 } }
    /// A number with a fraction or an exponent, written `d`.
    @usableFromInline static var double: UInt8 { @inlinable get { 0x64 } }
    /// The literal true, written `t`.
    @usableFromInline static var yes: UInt8 { @inlinable get { 0x74 } }
    /// The literal false, written `f`.
    @usableFromInline static var no: UInt8 { @inlinable get { 0x66 } }
    /// The literal null, written `n`.
    @usableFromInline static var null: UInt8 { @inlinable get { 0x6E } }
}
