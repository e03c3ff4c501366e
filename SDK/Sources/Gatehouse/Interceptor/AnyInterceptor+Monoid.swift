// SPDX-License-Identifier: Apache-2.0

extension AnyInterceptor: Monoid {
    /// An interceptor that lets every action pass.
    @inlinable
    public static var identity: AnyInterceptor {
        AnyInterceptor(
            box: AnyInterceptorBox(
                concerns: { _ in false }, enter: { $0.onward.pass(nil) }, gateChanged: { _ in },
                isIdentity: true))
    }

    /// Puts the left around the right, which receives the actions that the left lets pass; neither operand is
    /// changed.
    @inlinable
    public static func <> (lhs: AnyInterceptor, rhs: AnyInterceptor) -> AnyInterceptor {
        if lhs.isIdentity { return rhs }
        if rhs.isIdentity { return lhs }
        return AnyInterceptor(
            concerns: { lhs.concerns($0) || rhs.concerns($0) },
            enter: { way in
                let outer = way.onward
                lhs.enter(
                    way.with(
                        action: way.action,
                        onward: Onward(before: outer, late: { $0 }) { changed in
                            rhs.enter(
                                way.with(
                                    action: changed ?? way.action,
                                    onward: Onward(before: outer, late: { $0 ?? changed }) {
                                        outer.pass($0 ?? changed)
                                    }))
                        }))
            },
            gateChanged: { gate in
                lhs.gateChanged(to: gate)
                rhs.gateChanged(to: gate)
            })
    }

    /// Puts several in a row, the first outermost; nil if none does anything.
    @inlinable
    static func row(_ interceptors: [AnyInterceptor]) -> AnyInterceptor? {
        let row = interceptors.reversed().reduce(identity) { $1 <> $0 }
        return row.isIdentity ? nil : row
    }

    /// Wraps a box.
    @inlinable
    init(box: AnyInterceptorBox<ActionType, StateType>) {
        self.box = box
    }
}

/// Puts one interceptor around another; neither operand is changed.
@inlinable
public func <> <Outer: InterceptorProtocol, Inner: InterceptorProtocol>(
    lhs: Outer, rhs: Inner
) -> AnyInterceptor<Outer.ActionType, Outer.StateType>
where Outer.ActionType == Inner.ActionType, Outer.StateType == Inner.StateType {
    lhs.eraseToAnyInterceptor() <> rhs.eraseToAnyInterceptor()
}
