// SPDX-License-Identifier: BSD-2-Clause-Patent
// Exact texts of small reports in each format, and JSON read back.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lockstep/report.h"
#include "report/example_report_test.h"

namespace lockstep {
namespace {

constexpr NumberFormat kLegacy{NumberFormat::Kind::kLegacy, 6};
constexpr NumberFormat kMax{NumberFormat::Kind::kMax, 6};

TEST(FormatReport, PlainXmlIsLibvmafs) {
  EXPECT_EQ(FormatReport(PlainReport(), ReportFormat::kXml, kLegacy),
            R"(<VMAF version="lockstep 0.1.0">
  <params qualityWidth="64" qualityHeight="48" />
  <fyi fps="48.13" />
  <frames>
    <frame frameNum="0" integer_motion2="0.000000" vmaf="75.250000" />
    <frame frameNum="1" integer_motion2="3.895351" vmaf="80.500000" />
  </frames>
  <pooled_metrics>
    <metric name="integer_motion2" min="0.000000" max="3.895351" mean="1.947676" harmonic_mean="1.000000" />
    <metric name="vmaf" min="75.250000" max="80.500000" mean="77.875000" harmonic_mean="77.831200" />
  </pooled_metrics>
  <aggregate_metrics />
</VMAF>
)");
}

TEST(FormatReport, PlainJsonStartsAsLibvmafs) {
  EXPECT_EQ(FormatReport(PlainReport(), ReportFormat::kJson, kLegacy),
            R"({
  "version": "lockstep 0.1.0",
  "fps": 48.13,
  "frames": [
    {
      "frameNum": 0,
      "metrics": {
        "integer_motion2": 0.000000,
        "vmaf": 75.250000
      }
    },
    {
      "frameNum": 1,
      "metrics": {
        "integer_motion2": 3.895351,
        "vmaf": 80.500000
      }
    }
  ],
  "pooled_metrics": {
    "integer_motion2": {
      "min": 0.000000,
      "max": 3.895351,
      "mean": 1.947676,
      "harmonic_mean": 1.000000
    },
    "vmaf": {
      "min": 75.250000,
      "max": 80.500000,
      "mean": 77.875000,
      "harmonic_mean": 77.831200
    }
  },
  "aggregate_metrics": {
  },
  "schema": "lockstep-report-1",
  "tool": {
    "name": "lockstep",
    "version": "0.1.0"
  },
  "inputs": {
    "reference": {
      "path": "ref.y4m",
      "container": "y4m",
      "codec": null,
      "width": 64,
      "height": 48,
      "pixel_format": "420",
      "bit_depth": 8,
      "interlacing": "progressive",
      "chroma_location": null,
      "frame_rate": 29.97002997002997,
      "frames": 2
    },
    "distorted": {
      "path": "dis.y4m",
      "container": "y4m",
      "codec": null,
      "width": 64,
      "height": 48,
      "pixel_format": "420",
      "bit_depth": 8,
      "interlacing": "progressive",
      "chroma_location": null,
      "frame_rate": 29.97002997002997,
      "frames": 2
    }
  },
  "scoring": {
    "backend": "cpu",
    "width": 64,
    "height": 48,
    "pixel_format": "420",
    "bit_depth": 8,
    "first_frame": 0,
    "frame_count": 2,
    "subsample": 1
  },
  "models": [
    {
      "name": "vmaf",
      "label": "vmaf_v0.6.1",
      "pooled": {
        "min": 75.250000,
        "max": 80.500000,
        "mean": 77.875000,
        "harmonic_mean": 77.831200
      }
    }
  ],
  "decisions": [
  ],
  "warnings": [
  ]
}
)");
}

TEST(FormatReport, PlainCsvAndSub) {
  EXPECT_EQ(FormatReport(PlainReport(), ReportFormat::kCsv, kLegacy),
            "Frame,integer_motion2,vmaf,\n"
            "0,0.000000,75.250000,\n"
            "1,3.895351,80.500000,\n");
  EXPECT_EQ(FormatReport(PlainReport(), ReportFormat::kSub, kMax),
            "{0}{1}frame: 0|integer_motion2: 0|vmaf: 75.25|\n"
            "{1}{2}frame: 1|integer_motion2: 3.8953514999999999|vmaf: 80.5|\n");
}

TEST(FormatReport, HostileXml) {
  EXPECT_EQ(FormatReport(HostileReport(), ReportFormat::kXml, kMax),
            R"(<VMAF version="lockstep &quot;0.1&quot; &lt;&amp;&gt;">
  <params qualityWidth="19" qualityHeight="33" />
  <fyi fps="inf" />
  <frames>
    <frame frameNum="10" psnr_y="inf" a_x002C__x0022_b_x0022__x0020__x003C_c_x003E__x0020__x0026__x0020_d_x003A_e_x007C__x007B_f_x007D__x000A_="1" vmaf="90" vmaf_x0023_2="91" _x0066_rameNum="4" _x0078_mlns="7" />
    <frame frameNum="12" psnr_y="-inf" late="2.5" a_x002C__x0022_b_x0022__x0020__x003C_c_x003E__x0020__x0026__x0020_d_x003A_e_x007C__x007B_f_x007D__x000A_="2" vmaf_x0023_2="92" _x0066_rameNum="5" _x0078_mlns="8" />
    <frame frameNum="14" psnr_y="nan" late="3.5" a_x002C__x0022_b_x0022__x0020__x003C_c_x003E__x0020__x0026__x0020_d_x003A_e_x007C__x007B_f_x007D__x000A_="3" vmaf_x0023_2="93" _x0066_rameNum="6" _x0078_mlns="9" />
  </frames>
  <pooled_metrics>
    <metric name="psnr_y" min="-inf" max="inf" mean="nan" harmonic_mean="1.5" />
    <metric name="late" />
    <metric name="a,&quot;b&quot; &lt;c&gt; &amp; d:e|{f}&#10;" min="1" max="3" mean="2" harmonic_mean="1.8999999999999999" />
    <metric name="vmaf" />
    <metric name="vmaf#2" min="91" max="93" mean="92" harmonic_mean="91.989999999999995" />
    <metric name="frameNum" min="4" max="6" mean="5" harmonic_mean="4.9000000000000004" />
    <metric name="xmlns" min="7" max="9" mean="8" harmonic_mean="7.9000000000000004" />
  </pooled_metrics>
  <aggregate_metrics apsnr_x0020_y="40.5" apsnr_cb="inf" />
  <decisions>
    <decision subject="scaling" text="distorted scaled &lt;from&gt; 38x66" />
  </decisions>
  <warnings>
    <warning file="d&amp;d.yuv" frame="12" text="covariance is &quot;singular&quot;" />
    <warning text="a warning about nothing in particular" />
  </warnings>
</VMAF>
)");
}

TEST(FormatReport, MissingCsvValueKeepsItsColumn) {
  EXPECT_EQ(FormatReport(HostileReport(), ReportFormat::kCsv, kMax),
            "Frame,psnr_y,late,\"a,\"\"b\"\" <c> & d:e|{f}\n\",vmaf,vmaf#2,frameNum,xmlns,\n"
            "10,inf,,1,90,91,4,7,\n"
            "12,-inf,2.5,2,,92,5,8,\n"
            "14,nan,3.5,3,,93,6,9,\n");
}

TEST(FormatReport, HostileSubKeepsOneLineAFrame) {
  EXPECT_EQ(FormatReport(HostileReport(), ReportFormat::kSub, kMax),
            "{10}{11}frame: 10|psnr_y: inf|a,\"b\" <c> & d:e__f__: 1|vmaf: 90|vmaf#2: 91|frameNum: 4|xmlns: 7|\n"
            "{12}{13}frame: 12|psnr_y: -inf|late: 2.5|a,\"b\" <c> & d:e__f__: 2|vmaf#2: 92|frameNum: 5|xmlns: 8|\n"
            "{14}{15}frame: 14|psnr_y: nan|late: 3.5|a,\"b\" <c> & d:e__f__: 3|vmaf#2: 93|frameNum: 6|xmlns: 9|\n");
}

TEST(FormatReport, JsonNullsHaveReasons) {
  for (const NumberFormat& numbers : {kLegacy, kMax, NumberFormat{NumberFormat::Kind::kDigits, 2}}) {
    const auto json = nlohmann::json::parse(FormatReport(HostileReport(), ReportFormat::kJson, numbers));
    ASSERT_EQ(json["frames"].size(), 3U);
    const auto& first = json["frames"][0];
    EXPECT_EQ(first["frameNum"], 10);
    EXPECT_TRUE(first["metrics"]["psnr_y"].is_null());
    EXPECT_EQ(first["reasons"], (nlohmann::json{{"psnr_y", "infinite"}}));
    EXPECT_FALSE(first["metrics"].contains("late"));
    EXPECT_EQ(json["frames"][1]["reasons"]["psnr_y"], "negative infinite");
    EXPECT_EQ(json["frames"][2]["reasons"]["psnr_y"], "not a number");
    const auto& pooled = json["pooled_metrics"]["psnr_y"];
    EXPECT_TRUE(pooled["mean"].is_null());
    EXPECT_EQ(pooled["harmonic_mean"], 1.5);
    EXPECT_EQ(pooled["reasons"],
              (nlohmann::json{{"min", "negative infinite"}, {"max", "infinite"}, {"mean", "not a number"}}));
    EXPECT_FALSE(json["pooled_metrics"]["vmaf#2"].contains("reasons"));
    EXPECT_TRUE(json["pooled_metrics"]["vmaf"].empty());
    EXPECT_TRUE(json["fps"].is_null());
    EXPECT_EQ(json["reasons"],
              (nlohmann::json{{"fps", "infinite"}, {"aggregate_metrics", {{"apsnr_cb", "infinite"}}}}));
    EXPECT_TRUE(json["models"][0]["pooled"].is_null());
    EXPECT_FALSE(json["models"][0].contains("bootstrap"));
    EXPECT_EQ(json["models"][1]["pooled"]["reasons"], (nlohmann::json{{"max", "infinite"}}));
    EXPECT_EQ(json["models"][1]["bootstrap"]["ci_p95_high"], 94.0);
    EXPECT_EQ(json["models"][1]["bootstrap"]["reasons"], (nlohmann::json{{"stddev", "not a number"}}));
  }
}

TEST(FormatReport, JsonTellsHowTheScoresCameAbout) {
  const auto json = nlohmann::json::parse(FormatReport(HostileReport(), ReportFormat::kJson, kMax));
  EXPECT_EQ(json["schema"], "lockstep-report-1");
  EXPECT_EQ(json["inputs"]["reference"]["path"], "a \"b\"\\\n\x1b\xEF\xBF\xBD<ref>.y4m");
  EXPECT_EQ(json["inputs"]["distorted"]["chroma_location"], "left");
  EXPECT_TRUE(json["inputs"]["distorted"]["frame_rate"].is_null());
  EXPECT_EQ(json["scoring"], (nlohmann::json{{"backend", "cpu"},
                                             {"width", 19},
                                             {"height", 33},
                                             {"pixel_format", "444"},
                                             {"bit_depth", 12},
                                             {"first_frame", 10},
                                             {"frame_count", 6},
                                             {"subsample", 2}}));
  EXPECT_EQ(json["decisions"][0]["subject"], "scaling");
  EXPECT_EQ(json["warnings"][0]["frame"], 12);
  EXPECT_TRUE(json["warnings"][1]["frame"].is_null());
  EXPECT_TRUE(json["warnings"][1]["file"].is_null());
}

TEST(FormatReport, NoFrames) {
  const std::string json = FormatReport(EmptyReport(), ReportFormat::kJson, kLegacy);
  EXPECT_EQ(json.rfind("{\n  \"version\": \"lockstep 0.1.0\",\n  \"fps\": null,\n  \"frames\": [\n  ],\n"
                       "  \"pooled_metrics\": {\n  },\n  \"aggregate_metrics\": {\n  },\n",
                       0),
            0U);
  EXPECT_EQ(nlohmann::json::parse(json)["reasons"]["fps"], "not a number");
  EXPECT_EQ(FormatReport(EmptyReport(), ReportFormat::kCsv, kLegacy), "Frame,\n");
  EXPECT_EQ(FormatReport(EmptyReport(), ReportFormat::kSub, kLegacy), "");
  EXPECT_EQ(FormatReport(EmptyReport(), ReportFormat::kXml, kLegacy),
            "<VMAF version=\"lockstep 0.1.0\">\n"
            "  <params qualityWidth=\"64\" qualityHeight=\"48\" />\n"
            "  <fyi fps=\"nan\" />\n"
            "  <frames>\n  </frames>\n"
            "  <pooled_metrics>\n  </pooled_metrics>\n"
            "  <aggregate_metrics />\n"
            "</VMAF>\n");
}

TEST(FormatReport, FrameWithoutAnyScoreHasNoRow) {
  Report report = PlainReport();
  for (ReportColumn& column : report.columns) column.values[0].reset();
  const auto json = nlohmann::json::parse(FormatReport(report, ReportFormat::kJson, kLegacy));
  ASSERT_EQ(json["frames"].size(), 1U);
  EXPECT_EQ(json["frames"][0]["frameNum"], 1);
  EXPECT_EQ(FormatReport(report, ReportFormat::kCsv, kLegacy), "Frame,integer_motion2,vmaf,\n1,3.895351,80.500000,\n");
}

TEST(FormatReport, SubsampledRowsAreMultiplesOfTheWholeSequence) {
  Report report = PlainReport();
  report.first_frame = 3;
  report.frame_count = 9;
  report.subsample = 5;
  report.columns.resize(1);
  report.columns[0].values.assign(9, 1.0);
  EXPECT_EQ(FormatReport(report, ReportFormat::kCsv, kMax), "Frame,integer_motion2,\n5,1,\n10,1,\n");
}

}  // namespace
}  // namespace lockstep
