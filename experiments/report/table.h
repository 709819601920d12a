// The comparison as text: aligned for a terminal, Markdown, and CSV for other programs. The HTML table is in
// html.cpp and uses the same cell texts.
#pragma once

#include <string>

#include "experiments/report/comparison.h"

namespace ordinal {

/// Four significant digits or so: 1.234, 12.34, 123.4, 1234; "1.2e+07" from a million on.
std::string format_value(double value);

/// "1.234 ± 0.012", both with the same decimals; only the value for one seed.
std::string format_mean(const Summary& summary);

/// "1,234,567".
std::string group_thousands(Index count);

/// "1.234 ± 0.012"; only the value for one seed; "fails" where the encoding cannot run; "diverged" where a
/// score is not finite; "–" where there is nothing. Adds " (n = 2)" when fewer than `usual_n` seeds are
/// behind it.
std::string cell_text(const Entry& entry, Index usual_n);

/// "128 (2x)".
std::string length_heading(Index length, Index train_length);

/// "bits per token (lower is better), mean ± standard deviation over 3 seeds".
std::string table_caption(const ExperimentResult& result, Scope scope);

/// Aligned table with caption, for a terminal that shows UTF-8; ends in a line break.
std::string terminal_table(const ExperimentResult& result, Scope scope = Scope::all_positions);

/// table.md: all positions, then only positions past the training length.
std::string markdown_tables(const ExperimentResult& result);

/// table.csv: one line per scope, encoding and length, with n, mean, sd and 95 % interval; empty fields where
/// there is no number.
std::string table_csv(const ExperimentResult& result);

/// seeds.csv: one line per cell and length, with every seed's own numbers.
std::string seeds_csv(const ExperimentResult& result);

}  // namespace ordinal
