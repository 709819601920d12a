#include "experiments/encoding/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "experiments/encoding/subject.h"
#include "experiments/process/streams.h"
#include "experiments/report/html.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/folder_lock.h"
#include "page_assets.h"

namespace ordinal::experiments {
namespace {

// ---- The HTML ----

std::string per_part(const std::vector<EncodingEntry>& parts, const auto& text_of) {
  std::string text;
  for (const EncodingEntry& part : parts) {
    if (parts.size() > 1) text += (text.empty() ? "" : "; ") + part.name + ": ";
    text += std::invoke(text_of, part);
  }
  return text;
}

using Facts = std::vector<std::pair<std::string, std::string>>;

// What the registry says.
Facts facts_of(const std::vector<EncodingEntry>& parts) {
  return {{"acts on", per_part(parts, [](const auto& part) { return places_text(part.acts_on); })},
          {"learned", per_part(parts, &EncodingEntry::parameters)},
          {"past the training length", per_part(parts, &EncodingEntry::beyond)},
          {"source", per_part(parts, &EncodingEntry::source)}};
}

std::string section_html(const PageSection& section, std::size_t index) {
  const std::string name = section.numbers["name"];
  const std::vector<EncodingEntry> parts = find_encodings(name);
  std::string html = fmt::format(
      "<section id=\"encoding-{0}\" data-encoding=\"{0}\" data-offset=\"{1}\" aria-labelledby=\"name-{0}\">\n"
      "<h2 id=\"name-{0}\">{2}</h2>\n",
      index, section.offset, escape_html(name));
  std::string definition;
  for (const EncodingEntry& part : parts) {
    html += fmt::format("<p class=\"formula\">{}</p>\n", escape_html(part.formula));
    definition += (parts.size() > 1 ? part.name + "\n" : "") + part.definition + "\n";
  }
  html += fmt::format("<p>{}</p>\n<dl class=\"facts\">\n", escape_html(introduction(section.numbers)));
  for (const Facts& facts : {facts_of(parts), section.facts}) {
    for (const auto& [fact, value] : facts)
      html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(fact), escape_html(value));
  }
  html += fmt::format("</dl>\n<details><summary>Definition in full</summary>\n<pre>{}</pre></details>\n",
                      escape_html(definition));
  for (const PagePanel& panel : panels_of(section.numbers)) {
    html += fmt::format("<div class=\"panel\" data-panel=\"{}\">\n<h3>{}</h3>\n<p>{}</p>\n</div>\n",
                        panel.kind, escape_html(panel.title), escape_html(panel.words));
  }
  return html + "</section>\n";
}

// Links to the sections, which explorer.js turns into a chooser.
std::string navigation(const std::vector<std::string>& names) {
  std::string html = "<nav class=\"chooser\" aria-label=\"encodings\">\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    html += fmt::format("<a href=\"#encoding-{}\">{}</a>\n", i, escape_html(names[i]));
  return html + "<a href=\"#comparison\">Side by side</a>\n</nav>\n";
}

std::string comparison(const std::vector<PageSection>& sections) {
  std::string html =
      "<section id=\"comparison\" aria-labelledby=\"comparison-name\">\n"
      "<h2 id=\"comparison-name\">Side by side</h2>\n"
      "<div class=\"panel\" data-panel=\"comparison\">\n"
      "<p>What the last query makes of a key n tokens back, if every number of queries and keys is 1: "
      "only the encoding tells keys apart. What is added to the input counts with the product of its "
      "rows, divided as attention divides products, mean over the heads. <em>Share of attention</em> is "
      "the softmax of the score over all keys.</p>\n</div>\n"
      "<div class=\"scroll\"><table>\n<caption>What the registry says about them</caption>\n<thead><tr>";
  for (const char* heading :
       {"encoding", "acts on", "learned", "only distances count", "past the training length", "source"})
    html += fmt::format("<th scope=\"col\">{}</th>", heading);
  html += "</tr></thead>\n<tbody>\n";
  for (const PageSection& section : sections) {
    const std::vector<EncodingEntry> parts = find_encodings(section.encoding);
    Facts cells = facts_of(parts);
    const bool relative = std::ranges::all_of(parts, &EncodingEntry::shift_invariant);
    cells.insert(cells.begin() + 2, {"only distances count", relative ? "yes" : "no"});
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escape_html(section.encoding));
    for (const auto& [heading, cell] : cells) html += fmt::format("<td>{}</td>", escape_html(cell));
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n</section>\n";
}

// ---- What a command asks for ----

void check_size(const EncodingSubject& subject) {
  if (subject.seq_len() > most_page_positions) {
    throw ConfigError(fmt::format("--page: got {} positions, expected at most {}; lower encoding.seq_len",
                                  subject.seq_len(), most_page_positions));
  }
  const Index inputs = subject.seq_len() * subject.shape().d_model;
  if (acts_on(subject.text(), Place::input) && inputs > most_page_inputs) {
    throw ConfigError(
        fmt::format("--page: got {} positions of {} dimensions, expected at most {} numbers; lower "
                    "encoding.seq_len or encoding.d_model",
                    subject.seq_len(), subject.shape().d_model, most_page_inputs));
  }
}

// A command that draws this encoding alone.
CommandLine only(const std::string& name, CommandLine command) {
  command.settings.set("encoding.name", name, "encoding.names");
  if (command.settings.is_given("encoding.offsets")) {  // the other encodings may not use them
    command.settings.set("encoding.offsets", command.settings.text("encoding.offsets"), "encoding.names");
  }
  return command;
}

std::deque<EncodingSubject> subjects_of(const CommandLine& command) {
  const std::vector<std::string> names = command.settings.list("encoding.names");
  std::deque<EncodingSubject> subjects;
  if (names.empty() || !command.model.empty()) subjects.emplace_back(command);
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw ConfigError(fmt::format("encoding.names: {} is listed more than once", name));
    if (command.model.empty()) subjects.emplace_back(only(name, command));
  }
  std::ranges::for_each(subjects, check_size);
  return subjects;
}

PageSection section_of(const EncodingSubject& subject, bool trained) {
  const ModelShape& shape = subject.shape();
  PageSection section{encoding_numbers(subject.effect(), subject.name(), trained), subject.text(), {}};
  const std::vector<Index>& offsets = subject.offsets();
  if (!offsets.empty()) section.offset = offsets[(offsets.size() - 1) / 2];
  section.facts.emplace_back(
      "drawn", fmt::format("{} model, d_model {}, {} heads of {}, trained up to length {}; positions {}",
                           shape.causal ? "causal" : "bidirectional", shape.d_model, shape.heads,
                           shape.d_head(), shape.train_length, subject.positions_text()));
  for (const auto& [name, value] :
       {std::pair{"constants", subject.constants()}, {"values", subject.values_text()}}) {
    if (!value.empty()) section.facts.emplace_back(name, value);
  }
  return section;
}

}  // namespace

std::string explorer_page(const std::vector<PageSection>& sections, const std::string& command) {
  std::vector<std::string> all;
  std::string html;
  EncodingNumbers numbers;
  for (const PageSection& section : sections) {
    html += section_html(section, all.size());
    all.push_back(section.numbers["name"]);
    numbers.push_back(section.numbers);
  }
  constexpr std::size_t most_named = 6;
  const bool several = sections.size() > 1;
  const std::string names =
      all.size() <= most_named ? joined(all) : fmt::format("{} positional encodings", all.size());
  return page_start("Positional encodings: " + names, explorer_style) +
         fmt::format(R"(<header>
<h1>How a transformer is told where a token stands</h1>
{}<noscript><p class="note">The pictures of this page need JavaScript.</p></noscript>
</header>
{}<main>
{}{}</main>
<footer><p class="note">Written by</p><pre>{}</pre></footer>
<script type="application/json" id="data">{}</script>
<script>{}{}{}</script>
</body>
</html>
)",
                     several ? fmt::format("<p class=\"question\">{}</p>\n", escape_html(names)) : "",
                     several ? navigation(all) : "", html, several ? comparison(sections) : "",
                     escape_html(command), inside_page(std::move(numbers)), page_charts, explorer_formulas,
                     explorer_script);
}

void write_encoding_page(const CommandLine& command) {
  const std::deque<EncodingSubject> subjects = subjects_of(command);
  const bool several = subjects.size() > 1;
  const std::string name = several ? "encodings" : "encoding-" + folder_of(subjects.front().name());
  const std::filesystem::path out = command.out.empty() ? "results/" + name : command.out;
  if (command.dry_run) {
    say_on_stdout(fmt::format("a page of {} encoding{} at {} positions would be written to {}\n",
                              subjects.size(), several ? "s" : "", subjects.front().seq_len(), out.string()));
    return;
  }
  std::vector<PageSection> sections;
  for (const EncodingSubject& subject : subjects)
    sections.push_back(section_of(subject, !command.model.empty()));
  const FolderLock lock(out);
  write_file_atomically(lock.path() / "explorer.html", explorer_page(sections, command.invocation));
  say_on_stdout(fmt::format("{}\n", (out / "explorer.html").string()));
}

}  // namespace ordinal::experiments
