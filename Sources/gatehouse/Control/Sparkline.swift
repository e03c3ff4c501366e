// SPDX-License-Identifier: Apache-2.0

/// Numbers over time as a line of blocks, each as high as its number.
struct Sparkline {
    /// The blocks from the lowest to the highest.
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// The blocks; a blank where there are no numbers.
    let text: String

    /// Draws numbers from 0 to the largest of them.
    ///
    /// - Parameters:
    ///   - numbers: in the order of time; nil where there is none.
    ///   - width: the most blocks, each of which stands for the mean of as many numbers where there are more.
    init(_ numbers: [Double?], width: Int) {
        let count = min(width, numbers.count)
        let means = (0..<count).map { place -> Double? in
            let part = numbers[numbers.count * place / count..<numbers.count * (place + 1) / count]
                .compactMap { $0 }
            return part.isEmpty ? nil : part.reduce(0, +) / Double(part.count)
        }
        let most = means.compactMap { $0 }.max() ?? 0
        text = String(
            means.map { mean -> Character in
                guard let mean else { return " " }
                // Whatever is more than nothing is seen to be so.
                return Self.blocks[most > 0 ? Int((mean / most * 7).rounded(.up)) : 0]
            })
    }
}
