import Slate
import Testing

@Suite struct SlateShrinkTests {
    @Test(
        arguments: [
            ([240], [3], "3 rows where the backup before has 240"), ([240], [120], nil),
            ([240], [119], "119 rows where the backup before has 240"),
            ([38], [18], "18 rows where the backup before has 38"),
            ([37], [18], nil), ([21], [1], "1 row where the backup before has 21"), ([19], [0], nil), ([3], [240], nil),
            ([20], [0], "0 rows where the backup before has 20; none in tasks, which had 20"), ([], [5], nil),
            ([500, 20], [500, 0], "none in habits, which had 20"), ([500, 19], [500, 0], nil),
            ([500, 20], [500], "none in habits, which had 20"), ([500, 20], [500, 1], nil), ([0], [0], nil),
            ([], [], nil),
            ([.max, .max], [.max, 0], "none in habits, which had \(Int.max)"), ([-5], [-9], nil),
            (
                [.max, .max], [.max / 2],
                "\(Int.max / 2) rows where the backup before has \(Int.max); none in habits, which had \(Int.max)"
            ),
        ] as [([Int], [Int], String?)]
    )
    func warnings(previous: [Int], current: [Int], expected: String?) {
        let tables = ["tasks", "habits"]
        let warning = SlateShrink.warning(
            previous: Array(zip(tables, previous)).map { (table: $0.0, rows: $0.1) },
            current: Array(zip(tables, current)).map { (table: $0.0, rows: $0.1) }
        )
        #expect(warning == expected)
    }
}
