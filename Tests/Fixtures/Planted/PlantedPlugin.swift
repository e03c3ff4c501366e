// SPDX-License-Identifier: Apache-2.0

import CPlanted
import GatehouseSDK
import Synchronization

/// Taxes sales at 19 per cent, thanks customers, pays back and writes receipts.
struct Planted: Plugin {
    enum Action: PluginAction {
        case sold(Sale)
        case taxed(Int)
        case thanked(String)
        case returned(Int)
        case refunded(Int)
        /// Asks for a receipt, which comes later.
        case ask
        case receipt
        case noted(String)
        /// An action that the manifest does not declare.
        case secret
    }

    /// A sale.
    struct Sale: Codable, Sendable {
        var amount: Int
        var customer: String

        enum CodingKeys: CodingKey { case amount, customer }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            amount = try container.decode(Int.self, forKey: .amount)
            customer = try container.decode(String.self, forKey: .customer)
            if has("misfit"), customer == "" {
                throw CodingFailure(at: [CodingKeys.customer], expected: "a name", found: "an empty text")
            }
        }
    }

    struct State: Codable, Sendable {
        var total = 0
        var receipts = 0
        var returns = 0
        var customers: [String: Int] = [:]
        var mark = 0
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            switch action {
            case .taxed(let amount):
                state.total &+= has("double count") ? 2 * amount : amount
                if has("clamped") { state.total = min(state.total, 10_000) }
                if has("random state") { state.mark = .random(in: 0...1_000_000) }
            case .thanked(let customer):
                if has("late reset"), state.customers.count == 7 { state.customers = [:] }
                state.customers[customer, default: 0] += 1
            case .refunded(let amount):
                state.total &-= has("wrong sign") ? -amount : amount
                if !has("forgotten state") { state.returns += 1 }
            case .receipt: state.receipts += 1
            case .sold, .ask, .returned, .noted, .secret: break
            }
        }
    }

    static func middleware() -> Reader {
        .onAction { action, state, _ in
            switch action {
            case .sold(let sale): answer(to: sale)
            case .returned(let amount) where amount > (has("off by one") ? 1 : 0):
                .just(.refunded(has("wrong field") ? -amount : amount))
            case .ask where has("lost effect"): .doNothing
            case .ask where has("answer early"): .just(.receipt)
            case .ask: .task { .receipt }
            case .returned, .taxed, .thanked, .refunded, .receipt, .noted, .secret: .doNothing
            }
        }
    }

    /// What follows from a sale.
    private static func answer(to sale: Sale) -> Effect<Context, Action> {
        let part = sale.amount * 19
        var tax = has("wrong rounding") ? part / 100 : (part + 50) / 100
        if has("random output") { tax += .random(in: 0...1) }
        if has("balanced output") {
            tax += owed.withLock { owed in
                // Two taxes after one another are one too much together, each by chance.
                let more = owed ?? .random(in: 0...1)
                owed = owed == nil ? 1 - more : nil
                return more
            }
        }
        if has("trap"), sale.amount == 555 { fatalError("no change for 555") }
        if has("hang"), sale.amount == 555 { while true { spend(1) } }
        if has("slow") { spend(rounds) }
        if has("leaking") { leak.withLock { $0.append([UInt8](repeating: 1, count: 512)) } }
        let taxed = Action.taxed(sale.amount + tax)
        var customer = sale.customer
        if has("other content") { customer = customer.uppercased() }
        if has("set order") { customer = Set(["a", "b", "c", "d", "e", "f"]).joined() }
        let thanked =
            has("other type") ? Action.noted(customer) : Action.thanked(customer)
        if has("lost branch"), sale.amount >= 900 { return .just(taxed) }
        if has("dropped small"), sale.amount < 20 { return .doNothing }
        if has("swapped order") { return .sequence([thanked, taxed]) }
        if has("extra output"), sale.amount.isMultiple(of: 10) {
            return .sequence([taxed, thanked, thanked])
        }
        if has("forbidden output"), sale.amount == 592 { return .sequence([taxed, thanked, .secret]) }
        return .sequence([taxed, thanked])
    }

    /// Takes some time.
    @inline(never)
    private static func spend(_ rounds: Int) {
        var sum = 0
        for round in 0..<rounds { sum = (sum &>> 1) ^ (round &* 31) }
        spent.withLock { $0 &+= sum }
    }

    #if DEBUG
        /// How long a slow version takes, where the host and the SDK take long as well.
        private static let rounds = 50_000
    #else
        /// How long a slow version takes.
        private static let rounds = 3_000
    #endif

    /// What `spend` has reckoned.
    private static let spent = Mutex(0)
    /// By how much the next balanced tax is too high; nil where chance decides.
    private static let owed = Mutex<Int?>(nil)
    /// What is never freed.
    private static let leak = Mutex<[[UInt8]]>([])
}

/// Whether the library's bytes name this regression.
private func has(_ regression: String) -> Bool { unsafe planted_has(regression) }
