// SPDX-License-Identifier: Apache-2.0

/// Makes one middleware of what several readers give.
///
/// All readers need the same dependencies. Each call of `inject` injects them left to right, then calls `map` once. The
/// type on which `zip` is called plays no part.
extension MiddlewareReaderProtocol {
    /// Makes one middleware of what two readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2,
        with map: @escaping (M1.MiddlewareType, M2.MiddlewareType) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where M1.Dependencies == M2.Dependencies {
        MiddlewareReader { dependencies in
            map(reader1.inject(dependencies), reader2.inject(dependencies))
        }
    }

    /// Makes one middleware of what three readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol, M3: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2, _ reader3: M3,
        with map: @escaping (M1.MiddlewareType, M2.MiddlewareType, M3.MiddlewareType) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where M1.Dependencies == M2.Dependencies, M1.Dependencies == M3.Dependencies {
        MiddlewareReader { dependencies in
            map(reader1.inject(dependencies), reader2.inject(dependencies), reader3.inject(dependencies))
        }
    }

    /// Makes one middleware of what four readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol, M3: MiddlewareReaderProtocol,
        M4: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2, _ reader3: M3, _ reader4: M4,
        with map:
            @escaping (M1.MiddlewareType, M2.MiddlewareType, M3.MiddlewareType, M4.MiddlewareType) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where
        M1.Dependencies == M2.Dependencies, M1.Dependencies == M3.Dependencies,
        M1.Dependencies == M4.Dependencies
    {
        MiddlewareReader { dependencies in
            map(
                reader1.inject(dependencies), reader2.inject(dependencies), reader3.inject(dependencies),
                reader4.inject(dependencies))
        }
    }

    /// Makes one middleware of what five readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol, M3: MiddlewareReaderProtocol,
        M4: MiddlewareReaderProtocol, M5: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2, _ reader3: M3, _ reader4: M4, _ reader5: M5,
        with map:
            @escaping (
                M1.MiddlewareType, M2.MiddlewareType, M3.MiddlewareType, M4.MiddlewareType, M5.MiddlewareType
            ) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where
        M1.Dependencies == M2.Dependencies, M1.Dependencies == M3.Dependencies,
        M1.Dependencies == M4.Dependencies, M1.Dependencies == M5.Dependencies
    {
        MiddlewareReader { dependencies in
            map(
                reader1.inject(dependencies), reader2.inject(dependencies), reader3.inject(dependencies),
                reader4.inject(dependencies), reader5.inject(dependencies))
        }
    }

    /// Makes one middleware of what six readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol, M3: MiddlewareReaderProtocol,
        M4: MiddlewareReaderProtocol, M5: MiddlewareReaderProtocol, M6: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2, _ reader3: M3, _ reader4: M4, _ reader5: M5, _ reader6: M6,
        with map:
            @escaping (
                M1.MiddlewareType, M2.MiddlewareType, M3.MiddlewareType, M4.MiddlewareType, M5.MiddlewareType,
                M6.MiddlewareType
            ) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where
        M1.Dependencies == M2.Dependencies, M1.Dependencies == M3.Dependencies,
        M1.Dependencies == M4.Dependencies, M1.Dependencies == M5.Dependencies,
        M1.Dependencies == M6.Dependencies
    {
        MiddlewareReader { dependencies in
            map(
                reader1.inject(dependencies), reader2.inject(dependencies), reader3.inject(dependencies),
                reader4.inject(dependencies), reader5.inject(dependencies), reader6.inject(dependencies))
        }
    }

    /// Makes one middleware of what seven readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol, M3: MiddlewareReaderProtocol,
        M4: MiddlewareReaderProtocol, M5: MiddlewareReaderProtocol, M6: MiddlewareReaderProtocol,
        M7: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2, _ reader3: M3, _ reader4: M4, _ reader5: M5, _ reader6: M6,
        _ reader7: M7,
        with map:
            @escaping (
                M1.MiddlewareType, M2.MiddlewareType, M3.MiddlewareType, M4.MiddlewareType, M5.MiddlewareType,
                M6.MiddlewareType, M7.MiddlewareType
            ) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where
        M1.Dependencies == M2.Dependencies, M1.Dependencies == M3.Dependencies,
        M1.Dependencies == M4.Dependencies, M1.Dependencies == M5.Dependencies,
        M1.Dependencies == M6.Dependencies, M1.Dependencies == M7.Dependencies
    {
        MiddlewareReader { dependencies in
            map(
                reader1.inject(dependencies), reader2.inject(dependencies), reader3.inject(dependencies),
                reader4.inject(dependencies), reader5.inject(dependencies), reader6.inject(dependencies),
                reader7.inject(dependencies))
        }
    }

    /// Makes one middleware of what eight readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol, M3: MiddlewareReaderProtocol,
        M4: MiddlewareReaderProtocol, M5: MiddlewareReaderProtocol, M6: MiddlewareReaderProtocol,
        M7: MiddlewareReaderProtocol, M8: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2, _ reader3: M3, _ reader4: M4, _ reader5: M5, _ reader6: M6,
        _ reader7: M7, _ reader8: M8,
        with map:
            @escaping (
                M1.MiddlewareType, M2.MiddlewareType, M3.MiddlewareType, M4.MiddlewareType, M5.MiddlewareType,
                M6.MiddlewareType, M7.MiddlewareType, M8.MiddlewareType
            ) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where
        M1.Dependencies == M2.Dependencies, M1.Dependencies == M3.Dependencies,
        M1.Dependencies == M4.Dependencies, M1.Dependencies == M5.Dependencies,
        M1.Dependencies == M6.Dependencies, M1.Dependencies == M7.Dependencies,
        M1.Dependencies == M8.Dependencies
    {
        MiddlewareReader { dependencies in
            map(
                reader1.inject(dependencies), reader2.inject(dependencies), reader3.inject(dependencies),
                reader4.inject(dependencies), reader5.inject(dependencies), reader6.inject(dependencies),
                reader7.inject(dependencies), reader8.inject(dependencies))
        }
    }

    /// Makes one middleware of what nine readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol, M3: MiddlewareReaderProtocol,
        M4: MiddlewareReaderProtocol, M5: MiddlewareReaderProtocol, M6: MiddlewareReaderProtocol,
        M7: MiddlewareReaderProtocol, M8: MiddlewareReaderProtocol, M9: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2, _ reader3: M3, _ reader4: M4, _ reader5: M5, _ reader6: M6,
        _ reader7: M7, _ reader8: M8, _ reader9: M9,
        with map:
            @escaping (
                M1.MiddlewareType, M2.MiddlewareType, M3.MiddlewareType, M4.MiddlewareType, M5.MiddlewareType,
                M6.MiddlewareType, M7.MiddlewareType, M8.MiddlewareType, M9.MiddlewareType
            ) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where
        M1.Dependencies == M2.Dependencies, M1.Dependencies == M3.Dependencies,
        M1.Dependencies == M4.Dependencies, M1.Dependencies == M5.Dependencies,
        M1.Dependencies == M6.Dependencies, M1.Dependencies == M7.Dependencies,
        M1.Dependencies == M8.Dependencies, M1.Dependencies == M9.Dependencies
    {
        MiddlewareReader { dependencies in
            map(
                reader1.inject(dependencies), reader2.inject(dependencies), reader3.inject(dependencies),
                reader4.inject(dependencies), reader5.inject(dependencies), reader6.inject(dependencies),
                reader7.inject(dependencies), reader8.inject(dependencies), reader9.inject(dependencies))
        }
    }

    /// Makes one middleware of what ten readers give.
    @inlinable
    public static func zip<
        M1: MiddlewareReaderProtocol, M2: MiddlewareReaderProtocol, M3: MiddlewareReaderProtocol,
        M4: MiddlewareReaderProtocol, M5: MiddlewareReaderProtocol, M6: MiddlewareReaderProtocol,
        M7: MiddlewareReaderProtocol, M8: MiddlewareReaderProtocol, M9: MiddlewareReaderProtocol,
        M10: MiddlewareReaderProtocol,
        MOutput: MiddlewareProtocol
    >(
        _ reader1: M1, _ reader2: M2, _ reader3: M3, _ reader4: M4, _ reader5: M5, _ reader6: M6,
        _ reader7: M7, _ reader8: M8, _ reader9: M9, _ reader10: M10,
        with map:
            @escaping (
                M1.MiddlewareType, M2.MiddlewareType, M3.MiddlewareType, M4.MiddlewareType, M5.MiddlewareType,
                M6.MiddlewareType, M7.MiddlewareType, M8.MiddlewareType, M9.MiddlewareType, M10.MiddlewareType
            ) -> MOutput
    ) -> MiddlewareReader<M1.Dependencies, MOutput>
    where
        M1.Dependencies == M2.Dependencies, M1.Dependencies == M3.Dependencies,
        M1.Dependencies == M4.Dependencies, M1.Dependencies == M5.Dependencies,
        M1.Dependencies == M6.Dependencies, M1.Dependencies == M7.Dependencies,
        M1.Dependencies == M8.Dependencies, M1.Dependencies == M9.Dependencies,
        M1.Dependencies == M10.Dependencies
    {
        MiddlewareReader { dependencies in
            map(
                reader1.inject(dependencies), reader2.inject(dependencies), reader3.inject(dependencies),
                reader4.inject(dependencies), reader5.inject(dependencies), reader6.inject(dependencies),
                reader7.inject(dependencies), reader8.inject(dependencies), reader9.inject(dependencies),
                reader10.inject(dependencies))
        }
    }
}
