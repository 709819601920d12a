#include "experiments/claims/published_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/claims/measured.h"
#include "experiments/claims/section_reader.h"
#include "framework/core/number.h"
#include "framework/core/part.h"

namespace ordinal::experiments {
namespace {

class Reader {
 public:
  Reader(const WrittenSection& written, const ExperimentResult& experiment)
      : section_(written), experiment_(experiment) {}

  PublishedTable read() {
    PublishedTable table{.source = section_.value("source"),
                         .metric = section_.value("metric"),
                         .note = section_.value("note"),
                         .only_learned = section_.only_learned()};
    std::vector<std::string> metrics;
    for (const MetricInfo& metric : experiment_.metrics) metrics.push_back(metric.id);
    expect("metric", table.metric, metrics);
    for (const std::string& length : split_outside_brackets(section_.value("lengths"), ',')) {
      table.columns.push_back({length, columns(length)});
    }
    for (const std::string& row : split_outside_brackets(section_.value("rows"), ';')) {
      table.rows.push_back(read_row(row, table.columns.size()));
      const std::string& label = table.rows.back().label;
      if (std::ranges::count(table.rows, label, &PublishedTable::Row::label) > 1)
        section_.problem(fmt::format("rows: got '{}' twice", label));
    }
    if (table.source.empty()) section_.problem("source: got nothing, expected the paper and its table");
    return table;
  }

  const std::vector<std::string>& problems() const { return section_.problems(); }

 private:
  void expect(const std::string& key, const std::string& got, const std::vector<std::string>& expected) {
    if (std::ranges::find(expected, got) != expected.end()) return;
    section_.problem(fmt::format("{}: got '{}', expected one of {}", key, got, joined(expected)));
  }

  std::vector<std::size_t> columns(const std::string& length) {
    std::vector<std::size_t> at;
    if (experiment_.train_length == 0 && (length == "unseen" || length.ends_with('x'))) {
      section_.problem(fmt::format(
          "lengths: got '{}', expected a length in tokens (rows differ in task.train_length)", length));
      return at;
    }
    for (const Index tested : lengths_in(length, experiment_.lengths, experiment_.train_length)) {
      at.push_back(static_cast<std::size_t>(std::ranges::find(experiment_.lengths, tested) -
                                            experiment_.lengths.begin()));
    }
    if (at.empty()) {
      std::vector<std::string> tested = {"unseen"};
      for (const Index one : experiment_.lengths) tested.push_back(std::to_string(one));
      expect("lengths", length, tested);
    }
    return at;
  }

  // "alibi: 99 39"
  PublishedTable::Row read_row(const std::string& text, std::size_t count) {
    const std::size_t colon = std::min(text.rfind(':'), text.size());
    PublishedTable::Row row{trimmed(text.substr(0, colon)), {}};
    std::vector<std::string> labels;
    for (const RowInfo& one : experiment_.rows) labels.push_back(one.label);
    expect("rows", row.label, labels);
    const std::string numbers = colon < text.size() ? trimmed(text.substr(colon + 1)) : "";
    for (const std::string& word : split_outside_brackets(numbers, ' ')) {
      if (word.empty()) continue;
      const auto number = parse_real(word);
      if (!number && word != "-")
        section_.problem(fmt::format("rows: {}: got '{}', expected a number or -", row.label, word));
      row.values.push_back(number.value_or(not_a_number));
    }
    if (row.values.size() != count) {
      section_.problem(fmt::format("rows: {}: got {} numbers, expected one for each of {} lengths", row.label,
                                   row.values.size(), count));
    }
    return row;
  }

  SectionReader section_;
  const ExperimentResult& experiment_;
};

}  // namespace

std::vector<PublishedTable> published_tables(const Settings& settings, const ExperimentResult& experiment,
                                             std::vector<std::string>& problems) {
  std::vector<PublishedTable> tables;
  for (const WrittenSection& written : settings.sections("published")) {
    Reader reader(written, experiment);
    tables.push_back(reader.read());
    problems.insert(problems.end(), reader.problems().begin(), reader.problems().end());
  }
  return tables;
}

}  // namespace ordinal::experiments
