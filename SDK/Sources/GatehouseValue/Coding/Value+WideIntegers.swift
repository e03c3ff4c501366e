// SPDX-License-Identifier: Apache-2.0

// The protocols answer 128-bit integers with a refusal unless a method for exactly that type exists.
extension ValueEncoder {
    func encode(_ value: Int128) { node.content = .value(Value(value)) }

    func encode(_ value: UInt128) { node.content = .value(Value(value)) }
}

extension ValueKeyedContainer {
    func encode(_ value: Int128, forKey key: Key) {
        node.append(.value(Value(value)), forKey: key.stringValue)
    }

    func encode(_ value: UInt128, forKey key: Key) {
        node.append(.value(Value(value)), forKey: key.stringValue)
    }
}

extension ValueUnkeyedContainer {
    func encode(_ value: Int128) { node.append(.value(Value(value))) }

    func encode(_ value: UInt128) { node.append(.value(Value(value))) }
}
