// SPDX-License-Identifier: BSD-2-Clause-Patent
// Escapes of hostile names, one case a rule.
#include "report/text_escapes.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace lockstep {
namespace {

std::string Xml(std::string_view text) {
  std::string out;
  AppendXmlText(text, out);
  return out;
}
std::string Json(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}
std::string Csv(std::string_view text) {
  std::string out;
  AppendCsvField(text, out);
  return out;
}

TEST(TextEscapes, Utf8KeepsWhatIsValid) {
  const std::string text = "a\u00e9\u20ac\U0001F600\x7f";
  EXPECT_EQ(ValidUtf8(text), text);
}

TEST(TextEscapes, Utf8ReplacesEachWrongByte) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(ValidUtf8("a\x80z"), "a" + r + "z");            // stray continuation
  EXPECT_EQ(ValidUtf8("\xC3"), r);                          // cut short
  EXPECT_EQ(ValidUtf8("\xE2\x82"), r + r);                  // cut short
  EXPECT_EQ(ValidUtf8("\xC0\xAF"), r + r);                  // overlong slash
  EXPECT_EQ(ValidUtf8("\xE0\x80\xAF"), r + r + r);          // overlong slash
  EXPECT_EQ(ValidUtf8("\xED\xA0\x80"), r + r + r);          // surrogate
  EXPECT_EQ(ValidUtf8("\xF4\x90\x80\x80"), r + r + r + r);  // above U+10FFFF
  EXPECT_EQ(ValidUtf8("\xFF\xFE"), r + r);
  EXPECT_EQ(ValidUtf8("\xC3"
                      "A"),
            r + "A");
}

TEST(TextEscapes, XmlText) {
  EXPECT_EQ(Xml("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
  EXPECT_EQ(Xml("a\tb\nc\rd"), "a&#9;b&#10;c&#13;d");
  EXPECT_EQ(Xml(std::string_view("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(Xml("\xEF\xBF\xBE"), "\xEF\xBF\xBD");
}

TEST(TextEscapes, XmlNamesOfMetricsStayAsTheyAre) {
  for (const char* name : {"integer_adm2", "integer_vif_scale0_egl_1.1", "vmaf-neg", "_private", "PSNR"}) {
    EXPECT_EQ(XmlName(name), name);
  }
}

TEST(TextEscapes, XmlNamesOfOtherTexts) {
  EXPECT_EQ(XmlName("a b"), "a_x0020_b");
  EXPECT_EQ(XmlName("1st"), "_x0031_st");
  EXPECT_EQ(XmlName("ns:name"), "ns_x003A_name");
  EXPECT_EQ(XmlName("xmlns"), "_x0078_mlns");
  EXPECT_EQ(XmlName("xmlnsx"), "xmlnsx");
  EXPECT_EQ(XmlName("a_x0020_b"), "a_x005F_x0020_b");
  EXPECT_EQ(XmlName("\u00e9"), "_x00E9_");
  EXPECT_EQ(XmlName("\U0001F600"), "_x0001F600_");
  EXPECT_EQ(XmlName(""), "_x_");
  EXPECT_EQ(XmlName("_x_"), "_x005F_x_");
}

TEST(TextEscapes, XmlNamesOfDistinctTextsAreDistinct) {
  std::mt19937 random(3);
  std::unordered_map<std::string, std::string> seen;
  const std::string alphabet = "_x05F3 :a";
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (unsigned length = random() % 9; length > 0; --length) text += alphabet[random() % alphabet.size()];
    const auto [place, fresh] = seen.emplace(XmlName(text), text);
    EXPECT_EQ(place->second, text);
  }
}

TEST(TextEscapes, Json) {
  EXPECT_EQ(Json("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"");
  EXPECT_EQ(Json("\xFF"), "\"\xEF\xBF\xBD\"");
}

TEST(TextEscapes, Csv) {
  EXPECT_EQ(Csv("plain name"), "plain name");
  EXPECT_EQ(Csv("a,b"), "\"a,b\"");
  EXPECT_EQ(Csv("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(Csv("a\nb"), "\"a\nb\"");
}

TEST(TextEscapes, Subtitle) { EXPECT_EQ(SubtitleName("{a}|b\nc"), "_a__b_c"); }

}  // namespace
}  // namespace lockstep
