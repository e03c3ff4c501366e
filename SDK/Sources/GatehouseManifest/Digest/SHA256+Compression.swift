// SPDX-License-Identifier: Apache-2.0

private import CSHA256

extension SHA256 {
    /// Folds complete blocks into the chaining value, with the processor's own instructions where available.
    ///
    /// Safety: the memory must be readable during the call; a remainder of less than 64 bytes is ignored.
    static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
        guard gatehouse_sha256_is_supported(), let start = blocks.baseAddress else {
            return unsafe compressPortably(blocks, into: &state)
        }
        unsafe withUnsafeMutableBytes(of: &state) { words in
            guard let words = unsafe words.bindMemory(to: UInt32.self).baseAddress else { return }
            unsafe gatehouse_sha256_compress(words, start, blocks.count / 64)
        }
    }

    /// Folds complete blocks into the chaining value on any processor.
    ///
    /// All 64 rounds are written out, so that the 8 working variables and the 16 words of the message schedule
    /// are plain local variables. The variables rotate their roles instead of being moved. A word is replaced
    /// by the one 16 places later just before that is used. The round constants are immediate operands. A loop
    /// over arrays takes half as long again. The constants are the first 32 fractional bits of the cube roots
    /// of the first 64 primes.
    ///
    /// Safety: the memory must be readable during the call; a remainder of less than 64 bytes is ignored.
    static func compressPortably(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
        for start in stride(from: 0, through: blocks.count - 64, by: 64) {
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            var w0 = unsafe word(blocks, start &+ 0)
            var w1 = unsafe word(blocks, start &+ 4)
            var w2 = unsafe word(blocks, start &+ 8)
            var w3 = unsafe word(blocks, start &+ 12)
            var w4 = unsafe word(blocks, start &+ 16)
            var w5 = unsafe word(blocks, start &+ 20)
            var w6 = unsafe word(blocks, start &+ 24)
            var w7 = unsafe word(blocks, start &+ 28)
            var w8 = unsafe word(blocks, start &+ 32)
            var w9 = unsafe word(blocks, start &+ 36)
            var w10 = unsafe word(blocks, start &+ 40)
            var w11 = unsafe word(blocks, start &+ 44)
            var w12 = unsafe word(blocks, start &+ 48)
            var w13 = unsafe word(blocks, start &+ 52)
            var w14 = unsafe word(blocks, start &+ 56)
            var w15 = unsafe word(blocks, start &+ 60)
            round(a, b, c, &d, e, f, g, &h, 0x428a_2f98 &+ w0)
            round(h, a, b, &c, d, e, f, &g, 0x7137_4491 &+ w1)
            round(g, h, a, &b, c, d, e, &f, 0xb5c0_fbcf &+ w2)
            round(f, g, h, &a, b, c, d, &e, 0xe9b5_dba5 &+ w3)
            round(e, f, g, &h, a, b, c, &d, 0x3956_c25b &+ w4)
            round(d, e, f, &g, h, a, b, &c, 0x59f1_11f1 &+ w5)
            round(c, d, e, &f, g, h, a, &b, 0x923f_82a4 &+ w6)
            round(b, c, d, &e, f, g, h, &a, 0xab1c_5ed5 &+ w7)
            round(a, b, c, &d, e, f, g, &h, 0xd807_aa98 &+ w8)
            round(h, a, b, &c, d, e, f, &g, 0x1283_5b01 &+ w9)
            round(g, h, a, &b, c, d, e, &f, 0x2431_85be &+ w10)
            round(f, g, h, &a, b, c, d, &e, 0x550c_7dc3 &+ w11)
            round(e, f, g, &h, a, b, c, &d, 0x72be_5d74 &+ w12)
            round(d, e, f, &g, h, a, b, &c, 0x80de_b1fe &+ w13)
            round(c, d, e, &f, g, h, a, &b, 0x9bdc_06a7 &+ w14)
            round(b, c, d, &e, f, g, h, &a, 0xc19b_f174 &+ w15)
            round(a, b, c, &d, e, f, g, &h, 0xe49b_69c1 &+ extend(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0xefbe_4786 &+ extend(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x0fc1_9dc6 &+ extend(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x240c_a1cc &+ extend(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x2de9_2c6f &+ extend(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x4a74_84aa &+ extend(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x5cb0_a9dc &+ extend(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x76f9_88da &+ extend(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x983e_5152 &+ extend(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0xa831_c66d &+ extend(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0xb003_27c8 &+ extend(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0xbf59_7fc7 &+ extend(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0xc6e0_0bf3 &+ extend(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xd5a7_9147 &+ extend(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0x06ca_6351 &+ extend(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x1429_2967 &+ extend(&w15, w0, w8, w13))
            round(a, b, c, &d, e, f, g, &h, 0x27b7_0a85 &+ extend(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0x2e1b_2138 &+ extend(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x4d2c_6dfc &+ extend(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x5338_0d13 &+ extend(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x650a_7354 &+ extend(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x766a_0abb &+ extend(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x81c2_c92e &+ extend(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x9272_2c85 &+ extend(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0xa2bf_e8a1 &+ extend(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0xa81a_664b &+ extend(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0xc24b_8b70 &+ extend(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0xc76c_51a3 &+ extend(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0xd192_e819 &+ extend(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xd699_0624 &+ extend(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0xf40e_3585 &+ extend(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x106a_a070 &+ extend(&w15, w0, w8, w13))
            round(a, b, c, &d, e, f, g, &h, 0x19a4_c116 &+ extend(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0x1e37_6c08 &+ extend(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x2748_774c &+ extend(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x34b0_bcb5 &+ extend(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x391c_0cb3 &+ extend(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x4ed8_aa4a &+ extend(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x5b9c_ca4f &+ extend(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x682e_6ff3 &+ extend(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x748f_82ee &+ extend(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0x78a5_636f &+ extend(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0x84c8_7814 &+ extend(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0x8cc7_0208 &+ extend(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0x90be_fffa &+ extend(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xa450_6ceb &+ extend(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0xbef9_a3f7 &+ extend(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0xc671_78f2 &+ extend(&w15, w0, w8, w13))
            state = state &+ SIMD8(a, b, c, d, e, f, g, h)
        }
    }

    /// Returns the big-endian word at an offset, which lies inside the blocks.
    @inline(__always)
    private static func word(_ blocks: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafe blocks.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Replaces a word of the schedule by the one 16 places later, and returns that.
    ///
    /// - Parameters:
    ///   - word: the word to replace.
    ///   - second: the word 1 after it.
    ///   - tenth: the word 9 after it.
    ///   - fifteenth: the word 14 after it.
    @inline(__always)
    private static func extend(
        _ word: inout UInt32, _ second: UInt32, _ tenth: UInt32, _ fifteenth: UInt32
    ) -> UInt32 {
        let small0 = rotated(second, 7) ^ rotated(second, 18) ^ (second &>> 3)
        let small1 = rotated(fifteenth, 17) ^ rotated(fifteenth, 19) ^ (fifteenth &>> 10)
        word = word &+ small0 &+ tenth &+ small1
        return word
    }

    /// Performs one round: changes only the variables that become `e` and `a` of the next one.
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

    /// Rotates a word's bits to the right.
    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word &>> count) | (word &<< (32 &- count))
    }
}
