// SPDX-License-Identifier: Apache-2.0

extension SHA256 {
    /// The round constants: the first 32 fractional bits of the cube roots of the first 64 primes.
    private static let constants: InlineArray<64, UInt32> = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
        0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
        0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
        0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
        0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
        0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
        0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
        0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    /// Folds complete blocks into the chaining value.
    ///
    /// The message schedule is a ring of 16 words, extended just before each word is used. The eight working
    /// variables keep their names' places by rotating roles over eight rounds, so that none is ever moved.
    ///
    /// Safety: the memory must be readable during the call; a remainder of less than 64 bytes is ignored.
    static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
        var (a0, b0, c0, d0) = (state[0], state[1], state[2], state[3])
        var (e0, f0, g0, h0) = (state[4], state[5], state[6], state[7])
        var words = InlineArray<16, UInt32>(repeating: 0)
        for start in stride(from: 0, through: blocks.count - 64, by: 64) {
            for index in 0..<16 {
                words[index] = unsafe UInt32(
                    bigEndian: blocks.loadUnaligned(fromByteOffset: start &+ index &* 4, as: UInt32.self))
            }
            var (a, b, c, d, e, f, g, h) = (a0, b0, c0, d0, e0, f0, g0, h0)
            for index in stride(from: 0, to: 64, by: 8) {
                if index >= 16 { extend(&words, from: index & 15) }
                let base = index & 15
                round(a, b, c, &d, e, f, g, &h, constants[index] &+ words[base])
                round(h, a, b, &c, d, e, f, &g, constants[index &+ 1] &+ words[base &+ 1])
                round(g, h, a, &b, c, d, e, &f, constants[index &+ 2] &+ words[base &+ 2])
                round(f, g, h, &a, b, c, d, &e, constants[index &+ 3] &+ words[base &+ 3])
                round(e, f, g, &h, a, b, c, &d, constants[index &+ 4] &+ words[base &+ 4])
                round(d, e, f, &g, h, a, b, &c, constants[index &+ 5] &+ words[base &+ 5])
                round(c, d, e, &f, g, h, a, &b, constants[index &+ 6] &+ words[base &+ 6])
                round(b, c, d, &e, f, g, h, &a, constants[index &+ 7] &+ words[base &+ 7])
            }
            (a0, b0, c0, d0) = (a0 &+ a, b0 &+ b, c0 &+ c, d0 &+ d)
            (e0, f0, g0, h0) = (e0 &+ e, f0 &+ f, g0 &+ g, h0 &+ h)
        }
        state = SIMD8(a0, b0, c0, d0, e0, f0, g0, h0)
    }

    /// Replaces eight words of the ring by those that come 16 later in the schedule.
    @inline(__always)
    private static func extend(_ words: inout InlineArray<16, UInt32>, from start: Int) {
        for index in start..<start &+ 8 {
            let early = words[(index &+ 1) & 15]
            let late = words[(index &+ 14) & 15]
            let small0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
            let small1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
            words[index] = words[index] &+ small0 &+ words[(index &+ 9) & 15] &+ small1
        }
    }

    /// One round: changes only the variables that become `e` and `a` of the next one.
    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
        _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ input: UInt32
    ) {
        let big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
        let choice = g ^ (e & (f ^ g))
        let first = h &+ big1 &+ choice &+ input
        let big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
        let majority = (a & b) | (c & (a | b))
        d = d &+ first
        h = first &+ big0 &+ majority
    }

    /// The word with its bits rotated to the right.
    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word &>> count) | (word &<< (32 &- count))
    }
}
