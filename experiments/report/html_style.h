// The look of report.html: dark text on white, one column, aligned numbers; prints the same.
#pragma once

namespace ordinal::experiments {

inline constexpr const char* report_style = R"css(
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 3rem 1.5rem 5rem; max-width: 64rem; background: #fff; color: #1c1c1c;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { margin: 0 0 .3rem; font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; }
h2 { margin: 3rem 0 .6rem; padding-top: 1rem; border-top: 1px solid #ddd; font-size: 1.3rem; }
h3 { margin: 2rem 0 .3rem; font-size: 1.05rem; }
p, li { max-width: 46rem; }
.question { margin: 0 0 1.2rem; font-size: 1.2rem; color: #444; }
.facts { margin: 0; color: #555; font-size: .95rem; }
.verdicts, ul.note { padding-left: 1.2rem; }
.verdicts li { margin: .45rem 0; }
.note, figcaption, caption { color: #5c5c5c; font-size: .9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .8rem 0 1rem; }
caption { text-align: left; max-width: 58rem; padding-bottom: .5rem; }
th, td { padding: .42rem .7rem; text-align: right; vertical-align: top; border-bottom: 1px solid #e6e6e6;
  white-space: nowrap; }
thead th { border-bottom: 2px solid #1c1c1c; font-weight: 600; }
th.name, th[scope=row], td:first-child { text-align: left; }
th:first-child, td:first-child { padding-left: 0; }
tbody th { min-width: 6rem; font-weight: 600; white-space: normal; }
tbody th + th { min-width: 0; font-weight: 400; }
tbody th small, td small { display: block; font-weight: 400; color: #6b6b6b; font-size: .8rem; }
td.best { font-weight: 700; }
td.none { color: #8a2b06; }
tr.reference th, tr.reference td { color: #6b6b6b; font-weight: 400; font-style: italic; }
table.left th, table.left td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
figure { margin: 1.2rem 0 2rem; }
figcaption { padding-top: .6rem; max-width: 46rem; }
figure svg { display: block; width: 100%; max-width: 54rem; height: auto; }
figure.small svg { max-width: 38rem; }
pre { padding: .9rem 1rem; background: #f6f6f4; border-radius: 4px; overflow-x: auto;
  font: .85rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
details { margin: .6rem 0; }
summary { cursor: pointer; font-weight: 600; }
@media print {
  body { padding: 0; max-width: none; font-size: 10.5pt; }
  figure, tr, li { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  pre { white-space: pre-wrap; }
}
)css";

}  // namespace ordinal::experiments
