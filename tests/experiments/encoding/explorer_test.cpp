#include "experiments/encoding/explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

using testing::HasSubstr;
using testing::Not;

EncodingNumbers numbers(const std::string& name) {
  EncodingNumbers one;
  one.name = name;
  one.positions = {0, 1};
  return one;
}

ExplorerPage page_of(const std::string& text) {
  ExplorerPage page;
  page.sections.push_back(
      {text, {text}, {{text, text}}, text, text, 1, {{"waves", text, text}, {"attention", text, text}}});
  page.numbers.push_back(numbers(text));
  page.command = text;
  return page;
}

TEST(ExplorerPage, NoTextFromOutsideBecomesMarkup) {
  ExplorerPage page = page_of("<script>alert('x')</script>");
  page.sections.push_back(page.sections.front());
  page.numbers.push_back(numbers("rope"));
  page.comparison = {page.command, {page.command, page.command}, {{page.command, page.command}}};
  const std::string html = explorer_page(page);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("\"name\":\"\\u003cscript>"));
}

TEST(ExplorerPage, LoadsNothing) {
  const std::string html = explorer_page(page_of("rope"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'; img-src data:;"));
  for (const char* part : {" src=\"http", "href=\"http", "@import", "url(", "<link"})
    EXPECT_THAT(html, Not(HasSubstr(part)));
}

TEST(ExplorerPage, LowersIndicesAndRaisesExponents) {
  const auto formula = [](const std::string& text) {
    const std::string html = explorer_page(page_of(text));
    const std::string start = "<p class=\"formula\">";
    const std::size_t at = html.find(start) + start.size();
    return html.substr(at, html.find("</p>", at) - at);
  };
  EXPECT_EQ(formula("ω_i = base^(-2i/d)"), "ω<sub>i</sub> = base<sup>-2i/d</sup>");
  EXPECT_EQ(formula("q_i·k_j/√d_h"), "q<sub>i</sub>·k<sub>j</sub>/√d<sub>h</sub>");
  EXPECT_EQ(formula("ζ_i^(n/s)"), "ζ<sub>i</sub><sup>n/s</sup>");
  EXPECT_EQ(formula("Σ_{l=j+1…i} ln f_l"), "Σ<sub>l=j+1…i</sub> ln f<sub>l</sub>");
  EXPECT_EQ(formula("|i - j|^r2"), "|i - j|<sup>r2</sup>");
  EXPECT_EQ(formula("d_model scale_pe max_seq_len"), "d_model scale_pe max_seq_len");
  EXPECT_EQ(formula("a_ ^ (b^(c"), "a_ ^ (b^(c");
}

TEST(ExplorerPage, SaysThatPicturesNeedJavaScript) {
  const std::string html = explorer_page(page_of("rope"));
  EXPECT_THAT(html, HasSubstr("<noscript><p class=\"note\">The pictures of this page need JavaScript."));
  EXPECT_THAT(html, HasSubstr("<div class=\"panel\" data-panel=\"attention\">"));
}

TEST(ExplorerPage, HasAChooserForSeveralEncodings) {
  EXPECT_THAT(explorer_page(page_of("rope")), Not(HasSubstr("<nav")));
  ExplorerPage two = page_of("rope");
  two.sections.push_back(page_of("alibi").sections.front());
  two.numbers.push_back(numbers("alibi"));
  two.comparison = {"all", {"encoding"}, {{"rope"}, {"alibi"}}};
  const std::string html = explorer_page(two);
  EXPECT_THAT(html, HasSubstr("<a href=\"#encoding-1\">alibi</a>"));
  EXPECT_THAT(html, HasSubstr("<section id=\"encoding-1\""));
  EXPECT_THAT(html, HasSubstr("<section id=\"comparison\""));
}

}  // namespace
}  // namespace ordinal::experiments
