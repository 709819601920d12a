#include "experiments/encoding/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/report/html.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PageSection section_of(const std::string& encoding) {
  return {
      {{"name", encoding}, {"positions", {0, 1}}, {"reads_content", false}, {"causal", true}}, encoding, {}};
}

TEST(ExplorerPage, NoTextFromOutsideBecomesMarkup) {
  const std::string text = "<script>alert('x')</script>";
  PageSection section = section_of("rope");
  section.facts = {{text, text}};
  section.numbers["text"] = text;
  const std::string html = explorer_page({section, section}, text);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("<dt>&lt;script&gt;alert"));
  EXPECT_THAT(html, HasSubstr("\"text\":\"\\u003cscript>"));
}

TEST(ExplorerPage, LoadsNothing) {
  const std::string html = explorer_page({section_of("rope")}, "");
  EXPECT_THAT(html, HasSubstr("default-src 'none'; img-src data:;"));
  for (const char* part : {" src=\"http", "href=\"http", "@import", "url(", "<link"})
    EXPECT_THAT(html, Not(HasSubstr(part)));
}

TEST(ExplorerPage, SaysThatPicturesNeedJavaScript) {
  const std::string html = explorer_page({section_of("rope")}, "");
  EXPECT_THAT(html, HasSubstr("<noscript><p class=\"note\">The pictures of this page need JavaScript."));
  EXPECT_THAT(html, HasSubstr("<div class=\"panel\" data-panel=\"attention\">"));
}

TEST(ExplorerPage, HasAChooserForSeveralEncodings) {
  EXPECT_THAT(explorer_page({section_of("rope")}, ""), Not(HasSubstr("<nav")));
  const std::string html = explorer_page({section_of("rope"), section_of("alibi")}, "");
  EXPECT_THAT(html, HasSubstr("<a href=\"#encoding-1\">alibi</a>"));
  EXPECT_THAT(html, HasSubstr("<section id=\"encoding-1\""));
  EXPECT_THAT(html, HasSubstr("<section id=\"comparison\""));
}

TEST(ExplorerPage, HasTheFormulaAndTheFactsOfEachPart) {
  const std::string html = explorer_page({section_of("sinusoidal+t5")}, "");
  for (const char* part : {"sinusoidal", "t5"})
    EXPECT_THAT(html,
                HasSubstr("<p class=\"formula\">" + escape_html(encodings().find(part).formula) + "</p>"));
  EXPECT_THAT(html, HasSubstr("<dt>acts on</dt><dd>sinusoidal: input; t5: scores</dd>"));
  EXPECT_THAT(html, HasSubstr("Definition in full"));
}

}  // namespace
}  // namespace ordinal::experiments
