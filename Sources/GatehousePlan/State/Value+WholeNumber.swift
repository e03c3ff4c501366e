// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

extension Value {
    /// The whole number that it is, if that is not negative.
    package var wholeNumber: UInt64? {
        switch self {
        case .integer(let number): UInt64(exactly: number)
        case .unsigned(let number): number
        default: nil
        }
    }
}
