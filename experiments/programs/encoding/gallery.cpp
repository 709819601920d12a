#include "experiments/programs/encoding/gallery.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/process/results_folder.h"
#include "experiments/process/streams.h"
#include "experiments/programs/encoding/study.h"
#include "experiments/programs/encoding/word_orders.h"
#include "experiments/report/html.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

constexpr const char* gallery_style = R"css(
.formula { margin: .2rem 0 .6rem; max-width: none; padding: .5rem .8rem; background: var(--soft); overflow-wrap: anywhere; }
section > pre { white-space: pre-wrap; }
table.left th { overflow-wrap: normal; }
)css";

// A command that draws this encoding alone.
CommandLine only(const std::string& name, CommandLine command) {
  command.settings.set("encoding.name", name, "encoding.names");
  if (command.settings.is_given("encoding.offsets")) {  // the other encodings may not use them
    command.settings.set("encoding.offsets", joined(command.settings->encoding.offsets), "encoding.names");
  }
  return command;
}

// What the registry says of an encoding, or of each part of a sum.
std::string definition(const std::string& text) {
  std::string html;
  for (const EncodingEntry& part : find_encodings(text)) {
    html += fmt::format("<p class=\"formula\">{}: {}</p>\n<table class=\"left\">\n", escape_html(part.name),
                        escape_html(part.formula));
    for (const auto& [fact, value] : {std::pair{"acts on", places_text(part.acts_on)},
                                      {"past the training length", part.beyond},
                                      {"source", part.source}})
      html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", fact, escape_html(value));
    html += fmt::format("</table>\n<details><summary>Definition in full</summary>\n<pre>{}</pre></details>\n",
                        escape_html(part.definition));
  }
  return html;
}

std::string section(const EncodingSubject& subject, const Settings& settings) {
  const EncodingStudy study = study_encoding(subject);
  std::string pictures;
  for (const auto& [name, map] : study.pictures)
    pictures += html_figure(inside_page(map), escape_html(map.options.title));
  const std::string& sentence = settings->encoding.sentence;
  const std::string& reordered = settings->encoding.reordered;
  const WordOrders orders =
      compare_word_orders(sentence, reordered, subject.text(), subject.shape(), subject.seed());
  return fmt::format(
      "<section>\n<h2>{}</h2>\n{}<pre>{}</pre>\n<div class=\"gallery\">\n{}</div>\n"
      "<h3>Two orders of the same words</h3>\n{}<div class=\"gallery\">\n{}</div>\n</section>\n",
      escape_html(subject.name()), definition(subject.text()), escape_html(subject.in_effect() + study.text),
      pictures, html_table(orders.table),
      html_figure(
          inside_page(orders.picture),
          fmt::format(
              "Without (above) and with the encoding (below), “{}” on the left, “{}” on the right. Rows and "
              "columns follow the words on the left in both: equal maps do not tell the orders apart.",
              escape_html(sentence), escape_html(reordered))));
}

}  // namespace

void write_gallery(const CommandLine& command) {
  const std::vector<std::string> names = command.settings->encoding.names;
  const std::filesystem::path out = command.out.empty() ? "results/encodings" : command.out;
  std::string sections;
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw ConfigError(fmt::format("encoding.names: {} is listed more than once", name));
    const EncodingSubject subject(only(name, command));
    if (!command.dry_run) sections += section(subject, command.settings);
  }
  if (command.dry_run)
    return say_on_stdout(fmt::format("a page of {} would be written to {}\n", joined(names), out.string()));
  const std::string title = "Positional encodings: " + joined(names);
  check_results_folder(out, "a gallery of encodings");
  const FolderLock lock(out, "a gallery of encodings");
  write_text(
      lock.path() / "encodings.html",
      page_start(title, gallery_style) +
          fmt::format(
              "<h1>{}</h1>\n<p class=\"note\">Learned parameters have their initial values; where queries "
              "and keys count, they are random, or for scores those of one token at every position. With a "
              "bias that depends on |i - j| alone, bidirectional attention cannot tell a sentence from its "
              "mirror image.</p>\n{}<p class=\"note\">Written by</p><pre>{}</pre>\n</body>\n</html>\n",
              escape_html(title), sections, escape_html(command.invocation)));
  say_on_stdout(fmt::format("{}\n", (out / "encodings.html").string()));
}

}  // namespace ordinal::experiments
