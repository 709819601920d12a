// compare: two folders of results side by side: the settings that differ, and the difference of each number.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "experiments/experiment/results_folder.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/report/html.h"
#include "experiments/report/paired.h"
#include "experiments/report/terminal_table.h"
#include "experiments/results/files.h"
#include "experiments/settings/difference.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {
namespace {

// Reads both folders. Throws DataError with a line for each that cannot be read.
std::vector<ResultsFolder> read_both(const std::vector<std::string>& paths) {
  if (paths.size() != 2) {
    throw ConfigError(
        fmt::format("got {} folder{} of results, expected two: compare A B (see compare --help)",
                    paths.size(), paths.size() == 1 ? "" : "s"));
  }
  std::vector<ResultsFolder> folders;
  std::vector<std::string> problems;
  for (const std::string& path : paths) {
    try {
      folders.push_back(read_results(path));
    } catch (const DataError& error) {
      problems.emplace_back(error.what());
    }
  }
  if (!problems.empty()) throw DataError(joined(problems, "\n"));
  if (std::filesystem::equivalent(paths[0], paths[1]))
    throw ConfigError(fmt::format("{} and {} are one folder, expected two", paths[0], paths[1]));
  return folders;
}

std::string task_of(const ResultsFolder& folder, const std::string& row) {
  const Metadata& settings = folder.settings.at(row);
  const auto name = settings.find("task.name");
  return name == settings.end() ? "" : parse_part(name->second).name;
}

void check_tasks(const ResultsFolder& a, const ResultsFolder& b, const std::vector<RowPair>& pairs) {
  for (const RowPair& pair : pairs) {
    const std::string of_a = task_of(a, pair.first);
    const std::string of_b = task_of(b, pair.second);
    if (of_a == of_b) continue;
    throw ConfigError(
        fmt::format("{} and {} cannot be compared: the task of {} is {} in one and {} in the other",
                    a.path.string(), b.path.string(), pair.label(), of_a, of_b));
  }
}

std::string metric_ids(const ResultsFolder& folder) {
  std::vector<std::string> ids;
  for (const MetricInfo& metric : folder.result.metrics) ids.push_back(metric.id);
  return joined(ids);
}

// Metrics of `all` that `some` do not have.
std::vector<MetricInfo> missing_in(const std::vector<MetricInfo>& some, const std::vector<MetricInfo>& all) {
  std::vector<MetricInfo> missing;
  for (const MetricInfo& metric : all) {
    if (std::ranges::find(some, metric.id, &MetricInfo::id) == some.end()) missing.push_back(metric);
  }
  return missing;
}

// Without a manifest, only the metrics of a folder's scores are known.
void share_metrics(ResultsFolder& a, ResultsFolder& b) {
  const std::vector<MetricInfo> only_a = missing_in(b.result.metrics, a.result.metrics);
  const std::vector<MetricInfo> only_b = missing_in(a.result.metrics, b.result.metrics);
  if ((a.is_described && !only_b.empty()) || (b.is_described && !only_a.empty())) {
    throw ConfigError(fmt::format("{} and {} cannot be compared: they are scored by {} and by {}",
                                  a.path.string(), b.path.string(), metric_ids(a), metric_ids(b)));
  }
  if (!a.is_described && b.is_described) a.result.metrics = b.result.metrics;
  if (!b.is_described) a.result.metrics.insert(a.result.metrics.end(), only_b.begin(), only_b.end());
  b.result.metrics = a.result.metrics;
}

// Each setting that differs, with the rows in which it differs in the same way.
Grid settings_grid(const ResultsFolder& a, const ResultsFolder& b, const std::vector<RowPair>& pairs) {
  std::map<std::vector<std::string>, std::vector<std::string>> rows;  // by key and both values
  for (const RowPair& pair : pairs) {
    for (const Difference& one : all_differences(a.settings.at(pair.first), b.settings.at(pair.second)))
      rows[{one.key, one.there, one.here}].push_back(pair.label());
  }
  Grid grid{.title = rows.empty() ? "No settings differ." : "Settings that differ",
            .names = 4,
            .headings = {"setting", "rows", "A", "B"}};
  for (const auto& [values, labels] : rows) {
    const std::string which = labels.size() == pairs.size() ? "all" : joined(labels, "; ");
    grid.lines.push_back({{values[0]}, {which}, {values[1]}, {values[2]}});
  }
  return grid;
}

// What a reader of the numbers must know.
std::vector<std::string> notes_of(const ResultsFolder& a, const ResultsFolder& b) {
  std::vector<std::string> notes;
  for (const ResultsFolder* folder : {&a, &b}) {
    if (folder->unfinished.empty()) continue;
    const std::size_t count = folder->result.cells.size();
    notes.push_back(fmt::format("{} is not complete: {}. Compared {} the {} {} it holds.",
                                folder == &a ? "A" : "B", folder->unfinished, count == 1 ? "is" : "are",
                                count, count == 1 ? "result" : "results"));
  }
  notes.emplace_back(
      "Numbers are mean ± standard deviation over all seeds, also those that did not learn the task. B - A "
      "is the mean difference over the seeds of both, with its 95 % interval (Student's t and the sign test; "
      "from three seeds on), not corrected for how many there are.");
  return notes;
}

struct Comparing {
  std::vector<std::string> heading = {};  // A and B
  std::vector<std::string> notes = {};
  std::vector<Grid> grids = {};
  std::string csv = {};
};

Comparing comparing(ResultsFolder a, ResultsFolder b) {
  const std::vector<RowPair> pairs = paired_rows(a.result, b.result);
  check_tasks(a, b, pairs);
  share_metrics(a, b);
  if (pairs.empty()) {
    const auto labels = [](const ResultsFolder& folder) {
      std::vector<std::string> labels;
      for (const RowInfo& row : folder.result.rows) labels.push_back(row.label);
      return joined(labels, "; ");
    };
    throw ConfigError(fmt::format("{} and {} have no row of the same name: {} has {}, and {} has {}",
                                  a.path.string(), b.path.string(), a.path.string(), labels(a),
                                  b.path.string(), labels(b)));
  }
  PairedTables numbers = paired_tables(a.result, b.result, pairs);
  Comparing all{.heading = {"A: " + a.path.string(), "B: " + b.path.string()}, .notes = notes_of(a, b)};
  all.grids = {settings_grid(a, b, pairs), rows_grid(a.result, b.result, pairs)};
  std::ranges::move(numbers.grids, std::back_inserter(all.grids));
  all.csv = std::move(numbers.csv);
  return all;
}

std::string terminal_text(const Comparing& all, const std::optional<Terminal>& terminal) {
  const std::size_t columns = terminal ? terminal->columns : std::string::npos;
  const auto lines_of = [&](const std::string& line) { return wrapped(line, columns) + "\n"; };
  std::string text;
  for (const std::string& line : all.heading) text += lines_of(line);
  for (const std::string& note : all.notes) text += lines_of(note);
  for (const Grid& grid : all.grids)
    text += "\n" + (grid.lines.empty() ? lines_of(grid.title) : terminal_grid(grid, terminal));
  return text;
}

std::string page(const Comparing& all) {
  std::string html = page_start("Comparison") + "<h1>Two results side by side</h1>\n";
  for (const std::string& line : all.heading) html += "<p class=\"facts\">" + escape_html(line) + "</p>\n";
  std::vector<std::string> notes = all.notes;
  notes.emplace_back("Bold: the interval does not contain 0.");
  html += html_list(notes, "note");
  for (const Grid& grid : all.grids)
    html += grid.lines.empty() ? "<p>" + escape_html(grid.title) + "</p>\n" : html_table(grid);
  return html + "</body>\n</html>\n";
}

int compare_folders(const CommandLine& command) {
  std::vector<ResultsFolder> folders = read_both(command.several);
  const Comparing all = comparing(std::move(folders[0]), std::move(folders[1]));
  draw_on_stdout(terminal_text(all, terminal_of(STDOUT_FILENO)));
  if (command.out.empty() || command.dry_run) return 0;
  const std::filesystem::path out = command.out;
  const FolderLock lock(out);
  write_text(lock.path() / "comparison.csv", all.csv);
  write_text(lock.path() / "comparison.html", page(all));
  say_on_stdout(fmt::format("\npage: {}\n", (out / "comparison.html").string()));
  return 0;
}

}  // namespace
DriverDescription compare_driver() {
  return {.name = "compare",
          .summary =
              "Shows two folders of results of extrapolation, train or evaluate side by side: the settings "
              "in which they differ, and every number of both with its difference, paired by seed. Rows are "
              "matched by name; two folders with a single row each are compared whatever its name. With "
              "--out it also writes comparison.csv and comparison.html.",
          .examples = {"compare results/rope results/longer",
                       "compare results/quick results/longer --out results/both"},
          .options = {"out", "results"},
          .several = "results",
          .body = compare_folders};
}

}  // namespace ordinal::experiments
