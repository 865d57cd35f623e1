// SPDX-License-Identifier: BSD-2-Clause-Patent
// Writes example reports in every format into a folder, for a test that reads them with other people's parsers.
#include <cstdio>
#include <string>

#include "lockstep/report.h"
#include "report/example_report_test.h"

int main(int argc, char** argv) {
  using namespace lockstep;
  if (argc != 2) return 1;
  const std::pair<const char*, Report> reports[] = {
      {"plain", PlainReport()}, {"hostile", HostileReport()}, {"empty", EmptyReport()}};
  const std::pair<const char*, ReportFormat> formats[] = {{"xml", ReportFormat::kXml},
                                                          {"json", ReportFormat::kJson},
                                                          {"csv", ReportFormat::kCsv},
                                                          {"sub", ReportFormat::kSub}};
  const std::pair<const char*, NumberFormat> numbers[] = {{"legacy", {NumberFormat::Kind::kLegacy, 6}},
                                                          {"max", {NumberFormat::Kind::kMax, 6}},
                                                          {"digits", {NumberFormat::Kind::kDigits, 4}}};
  for (const auto& [report_name, report] : reports) {
    for (const auto& [number_name, number_format] : numbers) {
      for (const auto& [suffix, format] : formats) {
        const std::string path = std::string(argv[1]) + "/" + report_name + "-" + number_name + "." + suffix;
        const Status status = WriteReport(report, format, number_format, path);
        if (!status) {
          std::fprintf(stderr, "%s\n", status.error().Describe().c_str());
          return 1;
        }
      }
    }
  }
  return 0;
}
