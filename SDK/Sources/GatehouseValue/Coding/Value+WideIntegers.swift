// SPDX-License-Identifier: Apache-2.0

// The protocols reject 128-bit integers unless a method for exactly that type exists.
extension ValueEncoder {
    func encode(_ value: Int128) { node.set(Value(value)) }

    func encode(_ value: UInt128) { node.set(Value(value)) }
}

extension ValueKeyedContainer {
    func encode(_ value: Int128, forKey key: Key) { node.append(Value(value), forKey: key.stringValue) }

    func encode(_ value: UInt128, forKey key: Key) { node.append(Value(value), forKey: key.stringValue) }
}

extension ValueUnkeyedContainer {
    func encode(_ value: Int128) { node.append(Value(value)) }

    func encode(_ value: UInt128) { node.append(Value(value)) }
}
