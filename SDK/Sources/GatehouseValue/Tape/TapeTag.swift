// SPDX-License-Identifier: Apache-2.0

/// The tags in the top 8 bits of a tape's words.
@usableFromInline
enum TapeTag {
    /// `{`
    @usableFromInline static var object: UInt8 { @inlinable get { 0x7B } }
    /// `}`
    @usableFromInline static var objectEnd: UInt8 { @inlinable get { 0x7D } }
    /// `[`
    @usableFromInline static var array: UInt8 { @inlinable get { 0x5B } }
    /// `]`
    @usableFromInline static var arrayEnd: UInt8 { @inlinable get { 0x5D } }
    /// `"`
    @usableFromInline static var string: UInt8 { @inlinable get { 0x22 } }
    /// `#`
    @usableFromInline static var bigNumber: UInt8 { @inlinable get { 0x23 } }
    /// `l`
    @usableFromInline static var integer: UInt8 { @inlinable get { 0x6C } }
    /// `u`
    @usableFromInline static var unsigned: UInt8 { @inlinable get { 0x75 } }
    /// `d`
    @usableFromInline static var double: UInt8 { @inlinable get { 0x64 } }
    /// `t`
    @usableFromInline static var yes: UInt8 { @inlinable get { 0x74 } }
    /// `f`
    @usableFromInline static var no: UInt8 { @inlinable get { 0x66 } }
    /// `n`
    @usableFromInline static var null: UInt8 { @inlinable get { 0x6E } }
}
