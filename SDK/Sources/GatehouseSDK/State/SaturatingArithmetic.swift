// SPDX-License-Identifier: Apache-2.0

/// Counting in a reducer: a restored number may be at its limit, and a trap would end the host.
extension FixedWidthInteger {
    /// Returns the sum, or the limit that it passes.
    @inlinable
    public func saturatingAdding(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the difference, or the limit that it passes.
    @inlinable
    public func saturatingSubtracting(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }

    /// Adds, up to the limit.
    @inlinable
    public mutating func saturatingAdd(_ other: Self) { self = saturatingAdding(other) }
}
