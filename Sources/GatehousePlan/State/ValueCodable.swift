// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// A type that makes its own JSON form, inside one whose form is synthesized.
package protocol ValueCodable: Codable {
    /// The JSON form.
    var value: Value { get }

    /// Reads the JSON form.
    init(_ value: Value) throws(CodingFailure)
}

extension ValueCodable {
    package init(from decoder: any Decoder) throws { try self.init(try Value(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
