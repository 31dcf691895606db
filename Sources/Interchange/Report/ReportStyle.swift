/// The style sheet of a report.
enum ReportStyle {
    static let light = """
        --ink: #1b1f24; --soft: #5b6470; --page: #f4f5f7; --paper: #fff; --line: #dfe3e8; --rest: #e9ecf0; --ahead: #f6f7f9; \
        --hand: #d92d20;
        """

    static let dark = """
        --ink: #e8eaed; --soft: #a0a8b3; --page: #121519; --paper: #1b1f25; --line: #343b45; --rest: #2b313a; --ahead: #20252c; \
        --hand: #ff6b5e;
        """

    static let rules = """
        * { box-sizing: border-box; }
        body { color: var(--ink); background: var(--page); font: 16px/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
        margin: 0 auto; max-width: 62rem; padding: 2rem 1rem; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
        header, footer { padding: 0 0.25rem; }
        h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; letter-spacing: -0.01em; }
        header p { color: var(--soft); margin: 0.35rem 0 1.25rem; font-variant-numeric: tabular-nums; }
        h2 { font-size: 1.05rem; margin: 0 0 0.75rem; }
        h2 small, .totals small { color: var(--soft); font-weight: normal; font-size: 0.9em; }
        section { background: var(--paper); border: 1px solid var(--line); border-radius: 14px; padding: 1.25rem;
        margin-bottom: 1.25rem; }
        section p { color: var(--soft); margin: 0; }
        .day { display: grid; grid-template-columns: minmax(0, 30rem) minmax(15rem, 1fr); gap: 1rem 2rem; align-items: center; }
        @media (max-width: 46rem) { .day { grid-template-columns: minmax(0, 1fr); } }
        svg { display: block; width: 100%; height: auto; }
        svg text { fill: var(--ink); font: 13px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; text-anchor: middle;
        font-variant-numeric: tabular-nums; }
        .arc { stroke: var(--paper); stroke-width: 1.5; }
        .arc:hover { stroke: var(--ink); stroke-width: 2.5; }
        .rest { fill: var(--rest); } .ahead { fill: var(--ahead); stroke: var(--rest); stroke-dasharray: 3 4; }
        .tick { stroke: var(--soft); stroke-width: 1.2; }
        svg .hour { fill: var(--soft); font-size: 14px; }
        svg .name, svg .length, svg .icon { pointer-events: none; }
        svg .name { font-weight: 600; } svg .slim { font-size: 11.5px; } svg .length { font-size: 12px; } svg .icon { font-size: 16px; }
        svg .sum { font-size: 36px; font-weight: 650; letter-spacing: -0.02em; } svg .caption { fill: var(--soft); font-size: 14px; }
        .hand line { stroke: var(--hand); stroke-width: 3; stroke-linecap: round; }
        .hand circle { fill: var(--hand); stroke: var(--paper); stroke-width: 2; }
        .narrow { display: none; } .entries th { min-width: 6.5rem; } .choice { fill: var(--rest); }
        .grid { stroke: var(--line); } .axis { stroke: var(--soft); }
        svg .scale { fill: var(--soft); text-anchor: end; font-size: 12px; }
        svg .date { fill: var(--soft); font-size: 12px; } svg .top { font-weight: 600; }
        .chosen .weekday { font-weight: 700; text-decoration: underline; text-underline-offset: 4px; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        caption { text-align: left; font-weight: 600; font-size: 1.05rem; padding-bottom: 0.5rem; }
        th, td { text-align: left; vertical-align: top; padding: 0.45rem 0.5rem; border-bottom: 1px solid var(--line);
        font-weight: normal; overflow-wrap: anywhere; }
        thead th { color: var(--soft); font-size: 0.85rem; padding-top: 0; }
        tbody tr:last-child > * { border-bottom: 0; }
        .totals td, .totals thead th:nth-child(n+2) { text-align: right; white-space: nowrap; }
        .entries .span, .entries .time { white-space: nowrap; }
        .entries .note { color: var(--soft); }
        .entries .date th { font-weight: 600; padding-top: 1.1rem; }
        .key { display: inline-block; width: 0.75em; height: 0.75em; margin-right: 0.55em; border-radius: 3px; }
        .meter { display: block; height: 4px; margin-top: 0.35rem; background: var(--rest); border-radius: 2px; }
        .meter span { display: block; height: 4px; border-radius: 2px; min-width: 2px; }
        .unaccounted { background: var(--line); } .key.unaccounted { border: 1px solid var(--soft); }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.35rem 1.4rem; padding: 0; margin: 0.75rem 0 0;
        font-size: 0.93rem; }
        .legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
        footer { color: var(--soft); font-size: 0.87rem; }
        @media screen and (max-width: 40rem) {
        body { padding: 1rem 0.5rem; } section { padding: 0.9rem; } h1 { font-size: 1.4rem; }
        .wide { display: none; } .narrow { display: block; } .dial .hour, .dial .caption { font-size: 19px; }
        .narrow .top { font-size: 11.5px; } .totals th, .totals td { padding-left: 0.2rem; padding-right: 0.2rem; }
        .entries thead { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
        .entries table, .entries tbody { display: block; }
        .entries tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.1rem 0.75rem; padding: 0.55rem 0;
        border-bottom: 1px solid var(--line); }
        .entries tr > * { padding: 0; border: 0; min-width: 0; }
        .entries th { grid-row: 1; grid-column: 1; } .entries .time { grid-row: 1; grid-column: 2; }
        .entries .span, .entries .detail, .entries .note { grid-column: 1 / -1; color: var(--soft); font-size: 0.93rem; }
        .entries .detail:empty, .entries .note:empty { display: none; }
        .entries .detail::before { content: attr(data-label) ": "; }
        .entries .date th { padding-top: 0.6rem; } }
        @media print { @page { margin: 12mm; } :root { --page: #fff; } body { padding: 0; max-width: none; font-size: 10pt; }
        section { break-inside: avoid; border-radius: 0; padding: 0.75rem; } .entries { break-inside: auto; }
        .day { grid-template-columns: 11cm minmax(0, 1fr); } tr { break-inside: avoid; } thead { display: table-header-group; } }
        """
}
